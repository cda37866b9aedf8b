#include "lmtp/trace.hpp"

#include <gtest/gtest.h>

namespace muhur::lmtp {
namespace {

TEST(LmtpTraceTest, WritesDatesAsMailDoes) {
  EXPECT_EQ(date_of(0), "Thu, 01 Jan 1970 00:00:00 +0000");
  EXPECT_EQ(date_of(1'709'210'096'789), "Thu, 29 Feb 2024 12:34:56 +0000");
}

TEST(LmtpTraceTest, NamesTheRecipientOnlyWhenGiven) {
  Trace trace{.client_name = "mx.example.net",
              .client_address = "192.0.2.7",
              .host_name = "mail.example.org",
              .id = "1a"};
  EXPECT_EQ(received_header(trace),
            "Received: from mx.example.net (192.0.2.7)\r\n\tby mail.example.org with LMTP id 1a;\r\n"
            "\tThu, 01 Jan 1970 00:00:00 +0000\r\n");
  trace.recipient = "a@example.org";
  trace.utf8 = true;
  EXPECT_EQ(received_header(trace),
            "Received: from mx.example.net (192.0.2.7)\r\n\tby mail.example.org with UTF8LMTP id 1a\r\n"
            "\tfor <a@example.org>;\r\n\tThu, 01 Jan 1970 00:00:00 +0000\r\n");
}

}  // namespace
}  // namespace muhur::lmtp

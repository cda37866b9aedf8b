#include "imap/mutf7.hpp"

#include <gtest/gtest.h>

namespace muhur::imap {
namespace {

TEST(Mutf7, ConvertsBothWays) {
  // Bug class 15. The third is the standard's own example.
  const std::pair<const char*, const char*> pairs[] = {
      {"INBOX", "INBOX"},
      {"A&B", "A&-B"},
      {"~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"},
      {"Gönderilmiş", "G&APY-nderilmi&AV8-"},
      {"😀", "&2D3eAA-"},
      {"a😀é&z", "a&2D3eAADp-&-z"},
      {"&#*%", "&-#*%"},
      {"", ""},
      {"tab\there", "tab&AAk-here"},
  };
  for (const auto& [utf8, wire] : pairs) {
    EXPECT_EQ(to_mutf7(utf8), wire);
    EXPECT_EQ(from_mutf7(wire), utf8);
  }
}

TEST(Mutf7, RefusesEverySecondFormOfAName) {
  for (const char* wire : {
           "&",            // never closed
           "&Jjo",         // never closed
           "&AGE-",        // an 'a' that needs no shift
           "&Jjo-&Jjo-",   // two shifts where one would do
           "&2D0-",        // half a surrogate pair
           "&3gA-",        // the other half
           "&2D0AYQ-",     // half a pair and a letter
           "&Jj8A-",       // bits left over
           "&J-",          // too few bits
           "&J!o-",        // not of the alphabet
           "&Jj/-",        // '/' is ',' here
           "caf\xc3\xa9",  // raw
           "a\x01",        // control
       })
    EXPECT_FALSE(from_mutf7(wire)) << wire;
}

TEST(Mutf7, MakesPathsOfWhatClientsSend) {
  EXPECT_EQ(path_of("inbox"), "INBOX");
  EXPECT_EQ(path_of("InBox/x"), "INBOX/x");
  EXPECT_EQ(path_of("inboxes"), "inboxes");
  EXPECT_EQ(path_of("Work/"), "Work");
  EXPECT_EQ(path_of("caf\xc3\xa9"), "caf\xc3\xa9") << "UTF-8 as some clients send it";
  EXPECT_EQ(path_of("cafe\xcc\x81"), "caf\xc3\xa9") << "brought to NFC";
  EXPECT_FALSE(path_of("caf\xe9"));
  EXPECT_FALSE(path_of("&x"));
}

}  // namespace
}  // namespace muhur::imap

// What the load reads of a server: forms, answers, cookies, metrics, profiles.
#include <gtest/gtest.h>

#include "bench/login.hpp"
#include "bench/login_connection.hpp"
#include "bench/login_page.hpp"
#include "bench/login_server.hpp"
#include "bench/login_tally.hpp"

namespace muhur::bench {
namespace {

TEST(LoginPage, TheFormOfThatActionIsFoundWithItsHiddenInputs) {
  const auto form = find_form(
      "<form action='/search'><input type=hidden name=q value=no></form>"
      "<FORM method=\"post\" action=\"/in?a=1&amp;b=2\" novalidate>"
      "<input type=\"hidden\" name=\"csrf\" value=\"a&quot;&#39;&#x3c;&amp;&unknown;\">"
      "<input\n value='v' name='pending' type='HIDDEN' />"
      "<input name=\"login\" value=\"typed\"><input type=hidden value=nameless></form>"
      "<input type=hidden name=after value=1>",
      "/in");
  ASSERT_TRUE(form);
  EXPECT_EQ(form->action, "/in?a=1&b=2");
  const FormFields expected{{"csrf", "a\"'<&&unknown;"}, {"pending", "v"}};
  EXPECT_EQ(form->hidden, expected);
}

TEST(LoginPage, APageWithoutThatFormHasNone) {
  EXPECT_FALSE(find_form("<form action=/other><input type=hidden name=a value=b></form>", "/in"));
  EXPECT_FALSE(find_form("<formation action=/in>", "/in"));
  EXPECT_FALSE(find_form("<form action=\"/in", "/out"));
}

TEST(LoginAnswer, IsWholeOnlyWithItsLastByte) {
  const std::string text =
      "HTTP/1.1 303 See Other\r\nset-cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\nLocation: /x?code=1\r\n"
      "Content-Length: 5\r\n\r\nhello";
  std::string joined;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto part = read_answer(std::string_view(text).substr(0, size), false, joined);
    ASSERT_TRUE(part) << size;
    EXPECT_FALSE(*part) << size;
  }
  const auto whole = read_answer(text, false, joined);
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*whole)->status, 303);
  EXPECT_EQ((*whole)->location, "/x?code=1");
  EXPECT_EQ((*whole)->cookies, (std::vector<std::string_view>{"a=1; Path=/", "b=2"}));
  EXPECT_EQ((*whole)->body, "hello");
  EXPECT_TRUE((*whole)->keep_alive);
  EXPECT_FALSE((*whole)->retry_after_s);
}

TEST(LoginAnswer, ChunksAreJoinedByteByByte) {
  const std::string text =
      "HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"
      "4;x=y\r\nwiki\r\nA\r\n0123456789\r\n0\r\n\r\n";
  std::string joined;
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const auto part = read_answer(std::string_view(text).substr(0, size), false, joined);
    ASSERT_TRUE(part) << size;
    EXPECT_FALSE(*part) << size;
  }
  const auto whole = read_answer(text, false, joined);
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*whole)->body, "wiki0123456789");
  EXPECT_EQ((*whole)->retry_after_s, 2U);
  EXPECT_FALSE((*whole)->keep_alive);
}

TEST(LoginAnswer, WhatIsNoAnswerIsRefused) {
  std::string joined;
  for (const std::string_view text :
       {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"})
    EXPECT_FALSE(read_answer(text, false, joined)) << text;
  EXPECT_FALSE(read_answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", true, joined));
}

TEST(LoginAnswer, WithoutALengthTheBodyEndsWithTheConnection) {
  const std::string_view text = "HTTP/1.1 200 OK\r\n\r\nall of it";
  std::string joined;
  EXPECT_FALSE(*read_answer(text, false, joined));
  const auto whole = read_answer(text, true, joined);
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*whole)->body, "all of it");
  EXPECT_FALSE((*whole)->keep_alive);
}

TEST(LoginCookies, AreReplacedAndTakenAwayAsTheServerSays) {
  CookieJar jar;
  std::string header;
  jar.append_header(header);
  EXPECT_EQ(header, "");
  jar.take("a=1; Path=/; HttpOnly");
  jar.take("b=x=y");
  jar.take("c=3");
  jar.take("a=2");
  jar.take("c=; Path=/");
  jar.append_header(header);
  EXPECT_EQ(header, "Cookie: b=x=y; a=2\r\n");
  jar.take("b=x; Max-Age=0");
  jar.take("a=2; expires=Thu, 01 Jan 1970 00:00:00 GMT");
  header.clear();
  jar.append_header(header);
  EXPECT_EQ(header, "");
}

TEST(LoginMetrics, AreSummedOverTheirLabels) {
  const std::string_view text =
      "# HELP muhur_commits_total x\nmuhur_commits_total{db=\"a\"} 3\nmuhur_commits_total{db=\"b\"} 4\n"
      "muhur_commits_total_other 100\nprocess_cpu_seconds_total 1.5\n";
  EXPECT_EQ(metric_sum(text, "muhur_commits_total"), 7.0);
  EXPECT_EQ(metric_sum(text, "process_cpu_seconds_total"), 1.5);
  EXPECT_EQ(metric_sum(text, "muhur_commits"), std::nullopt);
}

TEST(LoginFigures, PercentilesAreTakenFromAllSamplesByNearestRank) {
  std::vector<float> values;
  for (int i = 100; i >= 1; --i) values.push_back(static_cast<float>(i));
  const StepFigures figures = figures_of(values);
  EXPECT_EQ(figures.count, 100U);
  EXPECT_EQ(figures.p50_ms, 50);
  EXPECT_EQ(figures.p95_ms, 95);
  EXPECT_EQ(figures.p99_ms, 99);
  EXPECT_EQ(figures.worst_ms, 100);
  EXPECT_EQ(figures_of({}).count, 0U);
}

TEST(LoginTally, KeepsTheFirstFewErrorsThatDiffer) {
  LoginTally tally;
  for (int i = 0; i < 20; ++i) tally.error("kind " + std::to_string(i));
  tally.error("kind 0");
  EXPECT_EQ(tally.errors, 21U);
  EXPECT_EQ(tally.texts.size(), LoginTally::kMostTexts);
  EXPECT_EQ(tally.texts.at("kind 0"), 2U);
}

}  // namespace
}  // namespace muhur::bench

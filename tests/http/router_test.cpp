#include "http/router.hpp"

#include <gtest/gtest.h>

#include "base/metrics.hpp"
#include "http/route_meters.hpp"

namespace muhur::http {
namespace {

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    for (const auto& [method, path] :
         std::vector<std::pair<const char*, const char*>>{{"GET", "/"},
                                                          {"GET", "/a"},
                                                          {"POST", "/a"},
                                                          {"GET", "/a/{id}"},
                                                          {"DELETE", "/a/{id}"},
                                                          {"GET", "/a/fixed"},
                                                          {"GET", "/a/fixed/deep"},
                                                          {"GET", "/a/{id}/{other}"},
                                                          {"GET", "/slash/"}})
      router_.add(method, path,
                  [](Request&, const Parameters&) -> net::Task<Response> { co_return Response(); });
  }
  int status(std::string_view method, std::string_view path) { return router_.find(method, path).status; }
  Router router_;
};

TEST_F(RouterTest, FindsByMethodAndSegments) {
  EXPECT_EQ(status("GET", "/"), 200);
  EXPECT_EQ(status("POST", "/a"), 200);
  EXPECT_EQ(status("GET", "/slash/"), 200);
  for (const char* path : {"/b", "/a/", "/a//", "//a", "/slash", "/a/1/2/3", "", "*", "a"})
    EXPECT_EQ(status("GET", path), 404) << path;
}

TEST_F(RouterTest, TakesParametersOut) {
  const auto match = router_.find("GET", "/a/x y/z");
  EXPECT_EQ(match.parameters.at("id"), "x y");
  EXPECT_EQ(match.parameters.at("other"), "z");
  EXPECT_EQ(router_.find("DELETE", "/a/7").parameters.at("id"), "7");
}

TEST_F(RouterTest, PrefersLiteralsAndGoesBackFromThem) {
  EXPECT_TRUE(router_.find("GET", "/a/fixed").parameters.empty());
  const auto back = router_.find("GET", "/a/fixed/else");
  EXPECT_EQ(back.parameters.at("id"), "fixed");
  EXPECT_EQ(back.parameters.at("other"), "else");
}

TEST_F(RouterTest, SaysWhichMethodsThereAre) {
  const auto match = router_.find("PUT", "/a");
  EXPECT_EQ(match.status, 405);
  EXPECT_EQ(match.handler, nullptr);
  EXPECT_EQ(match.allow, "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(status("get", "/a"), 405);  // methods are case-sensitive
}

TEST_F(RouterTest, ServesHeadByGet) {
  EXPECT_EQ(router_.find("HEAD", "/a").handler, router_.find("GET", "/a").handler);
  router_.add("POST", "/only",
              [](Request&, const Parameters&) -> net::Task<Response> { co_return Response(); });
  EXPECT_EQ(status("HEAD", "/only"), 405);
}

TEST_F(RouterTest, CountsARouteAsItWasAddedNotAsItWasAskedFor) {
  const auto one = router_.find("GET", "/a/secret-1"), other = router_.find("GET", "/a/secret-2");
  ASSERT_NE(one.meters, nullptr);
  EXPECT_EQ(one.meters, other.meters);
  EXPECT_NE(one.meters, router_.find("DELETE", "/a/1").meters);
  EXPECT_EQ(router_.find("PUT", "/a").meters, nullptr);
  one.meters->answered(204);
  one.meters->answered(503);
  one.meters->took(0.001);
  const std::string text = metrics::prometheus_text();
  const std::string labels = "method=\"GET\",route=\"/a/{id}\"";
  EXPECT_NE(text.find("muhur_http_requests_total{" + labels + ",status=\"2xx\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("muhur_http_requests_total{" + labels + ",status=\"5xx\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("muhur_http_request_seconds_count{" + labels + "} 1\n"), std::string::npos);
  EXPECT_EQ(text.find("secret-"), std::string::npos);
}

}  // namespace
}  // namespace muhur::http

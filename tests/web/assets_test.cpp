#include "web/assets.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>

#include "base/random.hpp"
#include "net/run.hpp"

namespace muhur::web {
namespace {

class AssetsTest : public testing::Test {
 protected:
  AssetsTest() : directory_(std::filesystem::temp_directory_path() / ("muhur-assets-" + random_hex(8))) {
    std::filesystem::create_directory(directory_);
  }
  ~AssetsTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::filesystem::path file(const std::string& name, const std::string& content) {
    std::ofstream(directory_ / name, std::ios::binary) << content;
    return directory_ / name;
  }
  http::Response get(const Assets& assets, const std::string& path, const std::string& etag = "") {
    http::Router router;
    assets.add_routes(router);
    http::Request request;
    request.method = "GET";
    request.path = path;
    if (!etag.empty()) request.headers.add("If-None-Match", etag);
    const auto match = router.find("GET", path);
    http::Response response;
    boost::asio::io_context io;
    net::run(io, [](const http::Router::Match& m, http::Request& r, http::Response& out) -> net::Task<void> {
      out = co_await (*m.handler)(r, m.parameters);
    }(match, request, response));
    return response;
  }
  std::filesystem::path directory_;
};

TEST_F(AssetsTest, AreKeptByBrowsersForEver) {
  const Assets assets = Assets::create({}).value();
  const auto style = get(assets, assets.style_url());
  EXPECT_EQ(style.status, 200);
  EXPECT_EQ(style.headers.get("Content-Type"), "text/css; charset=utf-8");
  EXPECT_TRUE(style.headers.get("Cache-Control")->contains("immutable"));
  EXPECT_TRUE(style.body.contains("prefers-color-scheme"));
  const auto again = get(assets, assets.style_url(), std::string(*style.headers.get("ETag")));
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
  EXPECT_EQ(get(assets, "/assets/other/style.css").status, 404);
  EXPECT_EQ(get(assets, "/favicon.ico").headers.get("Location"), assets.icon_url());
}

TEST_F(AssetsTest, AnAddressChangesWithItsContent) {
  const auto with = [](std::string colour) { return Assets::create({.colour = colour}).value().brand_url(); };
  EXPECT_NE(with("#112233"), with("#112234"));
  EXPECT_EQ(with("#112233"), with("#112233"));
  EXPECT_EQ(Assets::create({}).value().brand_url(), "");
}

TEST_F(AssetsTest, TakeTheOperatorsLogoAndCheckIt) {
  const Assets assets = Assets::create({.logo = file("logo.PNG", "\x89PNG rest")}).value();
  const auto logo = get(assets, assets.logo_url());
  EXPECT_EQ(logo.body, "\x89PNG rest");
  EXPECT_EQ(logo.headers.get("Content-Type"), "image/png");
  const Assets drawn = Assets::create({.logo = file("logo.svg", "<svg><script>x</script></svg>")}).value();
  EXPECT_TRUE(get(drawn, drawn.logo_url()).headers.get("Content-Security-Policy")->contains("sandbox"));
  const auto refused = [&](const std::filesystem::path& path) {
    return Assets::create({.logo = path}).error().what;
  };
  EXPECT_TRUE(refused(file("a.html", "<p>")).contains("a.html"));
  EXPECT_TRUE(refused(file("b.png", "<html>")).contains("b.png"));
  EXPECT_TRUE(refused(directory_ / "none.png").contains("none.png"));
  EXPECT_TRUE(refused(file("c.svg", "<" + std::string(300'000, ' '))).contains("256 KiB"));
  EXPECT_EQ(Assets::create({.colour = "red; }"}).error().code, Code::invalid);
}

}  // namespace
}  // namespace muhur::web

#include "web/assets.hpp"

#include <fstream>

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "crypto/mac.hpp"
#include "web/colour.hpp"
#include "web/embedded.hpp"

namespace muhur::web {
namespace {

constexpr std::size_t kMaxLogo = 256 * 1024;

struct ImageKind {
  std::string_view extension, type, begins;
};
// An SVG is shown by <img>, where it runs no script and loads nothing; asked for by its address it comes with
// a policy that forbids both.
constexpr ImageKind kImages[] = {{".svg", "image/svg+xml", "<"},
                                 {".png", "image/png", "\x89PNG"},
                                 {".jpg", "image/jpeg", "\xFF\xD8\xFF"},
                                 {".jpeg", "image/jpeg", "\xFF\xD8\xFF"},
                                 {".webp", "image/webp", "RIFF"}};

struct Logo {
  std::string type, body, extension;
};

Result<Logo> read_logo(const std::filesystem::path& path) {
  const std::string extension = to_lower_ascii(path.extension().native());
  const auto kind = std::ranges::find(kImages, extension, &ImageKind::extension);
  if (kind == std::end(kImages))
    return fail(Code::invalid, fmt::format("the logo {} is none of .svg, .png, .jpg, .webp", path.native()));
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail_errno(errno, "open the logo " + path.native());
  std::string body(kMaxLogo + 1, '\0');
  file.read(body.data(), static_cast<std::streamsize>(body.size()));
  body.resize(static_cast<std::size_t>(file.gcount()));
  if (body.size() > kMaxLogo)
    return fail(Code::invalid, fmt::format("the logo {} is larger than 256 KiB", path.native()));
  if (!body.starts_with(kind->begins))
    return fail(Code::invalid, fmt::format("the logo {} is not what its name says", path.native()));
  return Logo{std::string(kind->type), std::move(body), extension};
}

http::Response respond(const Asset& asset, const http::Request& request) {
  http::Response response;
  response.headers.set("ETag", asset.etag);
  response.headers.set("Cache-Control", "public, max-age=31536000, immutable");
  if (request.headers.get("If-None-Match") == asset.etag) {
    response.status = 304;
    return response;
  }
  response.headers.set("Content-Type", asset.type);
  if (asset.type == "image/svg+xml")
    response.headers.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  response.body = asset.body;
  return response;
}

const Asset* find_in(const std::vector<Asset>& assets, std::string_view url) {
  const auto found = std::ranges::find(assets, url, &Asset::url);
  return found == assets.end() ? nullptr : &*found;
}

}  // namespace

std::string Assets::add(std::string name, std::string type, std::string body) {
  const auto digest = crypto::sha256(as_bytes(body));
  const std::string hash = to_base64url({digest.data(), 12});
  std::string url = fmt::format("/assets/{}/{}", hash, name);
  assets_->push_back({url, std::move(type), std::move(body), '"' + hash + '"'});
  return url;
}

Result<Assets> Assets::create(const Branding& branding) {
  Assets assets;
  assets.assets_ = std::make_shared<std::vector<Asset>>();
  assets.style_ =
      assets.add("style.css", "text/css; charset=utf-8", std::string(embedded_file("assets/style.css")));
  assets.icon_ = assets.add("icon.svg", "image/svg+xml", std::string(embedded_file("assets/icon.svg")));
  if (!branding.colour.empty()) {
    const auto colour = Colour::parse(branding.colour);
    if (!colour)
      return fail(Code::invalid, fmt::format("the colour '{}' is none", branding.colour),
                  "write it as #rrggbb");
    assets.brand_ = assets.add("brand.css", "text/css; charset=utf-8", brand_stylesheet(*colour));
  }
  if (!branding.logo.empty()) {
    MUHUR_TRY(Logo logo, read_logo(branding.logo));
    assets.logo_ = assets.add("logo" + logo.extension, std::move(logo.type), std::move(logo.body));
  }
  return assets;
}

const Asset* Assets::find(std::string_view url) const { return find_in(*assets_, url); }

void Assets::add_routes(http::Router& router) const {
  router.add("GET", "/assets/{hash}/{file}",
             [all = assets_](http::Request& request, const http::Parameters&) -> net::Task<http::Response> {
               const Asset* asset = find_in(*all, request.path);
               co_return asset ? respond(*asset, request) : http::Response::text(404, "Not found.\n");
             });
  // Browsers ask for it whatever the page says.
  router.add(
      "GET", "/favicon.ico",
      [all = assets_, icon = icon_](http::Request&, const http::Parameters&) -> net::Task<http::Response> {
        http::Response response = http::Response::redirect(icon, 302);
        response.headers.set("Cache-Control", "public, max-age=86400");
        co_return response;
      });
}

}  // namespace muhur::web

#pragma once
// What pages load beside themselves: stylesheet, icon, the operator's colour and logo. Embedded in the
// binary or read once at the start; each address holds its content's hash, so browsers keep it for a year.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "http/router.hpp"

namespace muhur::web {

struct Branding {
  std::string name = "Muhur";  // of the organisation or service, on every page
  std::string colour;          // "#rrggbb" for buttons and links; empty: ours
  std::filesystem::path logo;  // .svg, .png, .jpg or .webp, at most 256 KiB; empty: the name alone
  std::string help_url;        // https, or mailto as "mailto:…"; empty: no link
};

struct Asset {
  std::string url;  // "/assets/HASH/style.css"
  std::string type;
  std::string body;
  std::string etag;
};

class Assets {
 public:
  // invalid names the setting: a colour that is none, a logo that cannot be read or is no image.
  static Result<Assets> create(const Branding& branding);

  const std::string& style_url() const { return style_; }
  const std::string& brand_url() const { return brand_; }  // the operator's colour, as a stylesheet
  const std::string& icon_url() const { return icon_; }
  const std::string& logo_url() const { return logo_; }  // empty: none
  const Asset* find(std::string_view url) const;
  // GET /assets/{hash}/{file}, with If-None-Match; and /favicon.ico. The router may outlive this object.
  void add_routes(http::Router& router) const;

 private:
  std::string add(std::string name, std::string type, std::string body);
  std::shared_ptr<std::vector<Asset>> assets_;
  std::string style_, brand_, icon_, logo_;
};

}  // namespace muhur::web

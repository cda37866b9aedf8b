#pragma once
// Routes: a table of method and path segments, looked up without regular expressions.
// A segment "{name}" matches one segment. Unknown path: 404; known path, other method: 405 with Allow.
// HEAD is served by GET's handler.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace muhur::http {

using Parameters = std::map<std::string, std::string, std::less<>>;
using Handler = std::function<net::Task<Response>(Request&, const Parameters&)>;

struct RouteOptions {
  std::size_t max_body = 64 * 1024;
  bool cross_origin = false;  // answers CORS preflights and adds Access-Control-Allow-Origin: *
};

class RouteMeters;

class Router {
 public:
  Router();
  ~Router();
  // Added once more, a method and path get the later handler.
  void add(std::string_view method, std::string_view path, Handler handler, RouteOptions options = {});

  struct Match {
    const Handler* handler = nullptr;  // null: see status
    RouteOptions options;
    Parameters parameters;
    int status = 404;               // 404 or 405 when there is no handler
    RouteMeters* meters = nullptr;  // with a handler
    std::string allow;              // the path's methods, for 405 and OPTIONS; empty for 404
  };
  Match find(std::string_view method, std::string_view path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::http

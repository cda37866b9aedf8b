#include "http/router.hpp"

#include "http/route_meters.hpp"

namespace muhur::http {
namespace {

struct Route {
  std::string method;
  Handler handler;
  RouteOptions options;
  std::vector<std::string> names;  // of the path's variables, in order
  std::unique_ptr<RouteMeters> meters;
};

struct Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> variable;
  std::vector<Route> routes;  // a few methods

  const Route* find(std::string_view method) const {
    const auto found =
        std::ranges::find(routes, method, [](const Route& r) { return std::string_view(r.method); });
    return found == routes.end() ? nullptr : &*found;
  }
};

// Takes the first segment off: "/a/b" gives "a" and leaves "/b".
std::string_view next_segment(std::string_view& path) {
  path.remove_prefix(1);
  const auto end = std::min(path.find('/'), path.size());
  const auto segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

bool is_variable(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

// Literals before variables; goes back where a literal leads nowhere.
const Node* walk(const Node& node, std::string_view path, std::vector<std::string_view>& values) {
  if (path.empty()) return node.routes.empty() ? nullptr : &node;
  if (path.front() != '/') return nullptr;
  std::string_view rest = path;
  const std::string_view segment = next_segment(rest);
  if (const auto literal = node.literals.find(segment); literal != node.literals.end())
    if (const Node* found = walk(*literal->second, rest, values)) return found;
  if (!node.variable || segment.empty()) return nullptr;
  values.push_back(segment);
  if (const Node* found = walk(*node.variable, rest, values)) return found;
  values.pop_back();
  return nullptr;
}

std::string methods_of(const Node& node) {
  std::string list;
  for (const Route& route : node.routes) {
    list += route.method + ", ";
    if (route.method == "GET" && !node.find("HEAD")) list += "HEAD, ";
  }
  return list + "OPTIONS";
}

}  // namespace

struct Router::Impl {
  Node root;
};

Router::Router() : impl_(std::make_unique<Impl>()) {}
Router::~Router() = default;

void Router::add(std::string_view method, std::string_view path, Handler handler, RouteOptions options) {
  auto meters = std::make_unique<RouteMeters>(method, path);
  Node* node = &impl_->root;
  std::vector<std::string> names;
  while (!path.empty()) {
    const auto segment = next_segment(path);
    std::unique_ptr<Node>* child = nullptr;
    if (is_variable(segment)) {
      names.emplace_back(segment.substr(1, segment.size() - 2));
      child = &node->variable;
    } else {
      child = &node->literals[std::string(segment)];
    }
    if (!*child) *child = std::make_unique<Node>();
    node = child->get();
  }
  std::erase_if(node->routes, [&](const Route& route) { return route.method == method; });
  node->routes.push_back(
      {std::string(method), std::move(handler), options, std::move(names), std::move(meters)});
}

Router::Match Router::find(std::string_view method, std::string_view path) const {
  Match match;
  std::vector<std::string_view> values;
  const Node* node = walk(impl_->root, path, values);
  if (!node) return match;
  const Route* route = node->find(method);
  if (!route && method == "HEAD") route = node->find("GET");
  if (!route) {
    match.status = 405;
    match.allow = methods_of(*node);
    return match;
  }
  match.handler = &route->handler;
  match.meters = route->meters.get();
  match.options = route->options;
  match.status = 200;
  if (method == "OPTIONS") match.allow = methods_of(*node);
  for (std::size_t i = 0; i < values.size(); ++i) match.parameters.emplace(route->names[i], values[i]);
  return match;
}

}  // namespace muhur::http

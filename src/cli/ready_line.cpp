#include "cli/ready_line.hpp"

#include <boost/json/serialize.hpp>
#include <cstdio>

namespace muhur::cli {

boost::json::object ready_line(const std::vector<server::Endpoint>& endpoints) {
  boost::json::object line{{"ready", true}};
  for (const auto& endpoint : endpoints) {
    if (line.contains(endpoint.name)) continue;
    if (endpoint.path.empty())
      line[endpoint.name] = {{"host", endpoint.host}, {"port", endpoint.port}};
    else
      line[endpoint.name] = {{"path", endpoint.path}};
  }
  return line;
}

void print_line(const boost::json::object& object) {
  std::printf("%s\n", boost::json::serialize(object).c_str());
  std::fflush(stdout);
}

}  // namespace muhur::cli

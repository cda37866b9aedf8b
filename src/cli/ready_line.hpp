#pragma once
// The one line of JSON that a server prints when it is ready. Later versions add keys and rename none.
//   {"ready":true,"imap":{"host":"127.0.0.1","port":10143},"imaps":{…},"lmtp":{…}, …}

#include <boost/json/object.hpp>
#include <vector>

#include "server/app.hpp"

namespace muhur::cli {

// The first endpoint of each name; a Unix socket as {"path":"…"}.
boost::json::object ready_line(const std::vector<server::Endpoint>& endpoints);
// On standard output, flushed.
void print_line(const boost::json::object& object);

}  // namespace muhur::cli

#pragma once
// What is shown where a request cannot be answered to the client that sent it, or not at all.

#include "web/layout.hpp"

namespace muhur::web {

struct ErrorModel {
  enum class Kind {
    request,    // OAuth: the client, its redirect URI or the request is wrong
    over,       // the page that was answered is used up, too old or another browser's
    forbidden,  // the form did not come from here, or is too old
    not_found,
    method,  // 405
    too_large,
    busy,    // 503: retry_after_s
    failed,  // 500
  };
  Kind kind = Kind::request;
  int status = 400;
  std::string code;         // "invalid_request": for the client's developer
  std::string description;  // likewise
  std::string client_name;
  std::string client_uri;  // with the name: a way back
  std::string home_url;    // a way on from a page that does not exist
  std::string reference;   // to be told to the operator, who finds it in the log
  long retry_after_s = 0;
};

http::Response error_page(const Frame& frame, const ErrorModel& model);

}  // namespace muhur::web

#pragma once
// OAuth 2.0 Form Post Response Mode: a page that posts the answer to the client, by itself where scripts
// run, by its button where they do not.

#include "http/form.hpp"
#include "web/layout.hpp"

namespace muhur::web {

struct FormPostModel {
  std::string redirect_uri;
  http::Form parameters;
  std::string client_name;
};

http::Response form_post_page(const Frame& frame, const FormPostModel& model);

}  // namespace muhur::web

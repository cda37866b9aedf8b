#pragma once
// The routes over a provider of their own and a connection in memory, driven as a browser does it: cookies
// kept, forms read from the page and sent back.

#include <map>
#include <regex>

#include "http/exchange.hpp"
#include "oidc/provider_fixture.hpp"
#include "web/routes.hpp"

namespace muhur::web {

struct Answer {
  int status = 0;
  std::string head, body;
  std::string header(const std::string& name) const {
    std::smatch found;
    return std::regex_search(head, found, std::regex("\r\n" + name + ": ([^\r]*)", std::regex::icase))
               ? found[1].str()
               : std::string();
  }
};

class WithRoutes : public oidc::WithProvider {
 protected:
  void SetUp() override {
    WithProvider::SetUp();
    services_ = std::make_unique<Services>(Services{
        .provider = *provider_,
        .site = {{}, Assets::create({}).value()},
        .csrf = Csrf(Secret::from_text("0123456789abcdef0123456789abcdef"), std::string(oidc::kIssuer)),
        .prove = [this](std::string address, Secret password, std::string peer) {
          return prove(std::move(address), std::move(password), std::move(peer));
        }});
    http::ServerOptions options;
    finish_server(options, *services_);
    exchange_ = std::make_unique<http::Exchange>(std::move(options));
    add_routes(exchange_->router, *services_);
  }
  void TearDown() override {
    exchange_.reset();
    services_.reset();
    WithProvider::TearDown();
  }

  // The right password is "right"; what else happens is set by the test.
  net::Task<Result<accounts::SignedIn>> prove(std::string address, Secret password, std::string) {
    ++proofs_;
    if (proof_error_) co_return std::unexpected(*proof_error_);
    if (address != user_.address || password.text() != "right")
      co_return fail(Code::denied, "the address or the password is wrong");
    co_return accounts::SignedIn{user_, dek_.copy(), proof_kind_};
  }

  Answer send(const std::string& method, const std::string& target, const std::string& headers = {},
              const std::string& body = {}) {
    std::string wire =
        method + " " + target + " HTTP/1.1\r\nHost: id.example\r\nConnection: close\r\n" + headers;
    std::string cookies;
    for (const auto& [name, value] : cookies_) cookies += (cookies.empty() ? "" : "; ") + name + "=" + value;
    if (!cookies.empty()) wire += "Cookie: " + cookies + "\r\n";
    if (!body.empty()) wire += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const std::string all = exchange_->all(wire + "\r\n" + body);
    Answer answer;
    const auto end = all.find("\r\n\r\n");
    if (end == all.npos) return answer;
    answer.head = all.substr(0, end);
    answer.body = all.substr(end + 4);
    answer.status = std::stoi(answer.head.substr(9, 3));
    static const std::regex cookie("\r\nset-cookie: ([^=]+)=([^;\r]*)([^\r]*)", std::regex::icase);
    for (std::sregex_iterator it(answer.head.begin(), answer.head.end(), cookie), none; it != none; ++it) {
      if ((*it)[3].str().find("Max-Age=0") != std::string::npos)
        cookies_.erase((*it)[1]);
      else
        cookies_[(*it)[1]] = (*it)[2];
    }
    return answer;
  }
  Answer get(const std::string& target) { return send("GET", target); }
  static std::string encoded(const oidc::Fields& fields) { return oidc::form_of(fields).encoded(); }
  Answer post(const std::string& target, const oidc::Fields& fields, const std::string& headers = {}) {
    return send("POST", target, "Content-Type: application/x-www-form-urlencoded\r\n" + headers,
                encoded(fields));
  }
  // The hidden inputs of a page's first form.
  static oidc::Fields hidden(const Answer& page) {
    oidc::Fields fields;
    static const std::regex input(R"re(<input type="hidden" name="([^"]+)" value="([^"]*)")re");
    const std::string form = page.body.substr(0, page.body.find("</form>"));
    for (std::sregex_iterator it(form.begin(), form.end(), input), none; it != none; ++it)
      fields.emplace_back((*it)[1], (*it)[2]);
    return fields;
  }
  Answer submit(const std::string& action, const Answer& page, const oidc::Fields& more,
                const std::string& headers = "Origin: https://id.example\r\n") {
    auto fields = hidden(page);
    fields.insert(fields.end(), more.begin(), more.end());
    return post(action, fields, headers);
  }
  Answer sign_in(const Answer& page, const std::string& password = "right") {
    return submit("/oauth2/login", page, {{"login", user_.address}, {"password", password}});
  }
  std::string authorize_url(const std::string& client = "app", const oidc::Fields& changed = {}) {
    return "/oauth2/authorize?" + request(client, changed).encoded();
  }
  static std::string parameter(const std::string& location, const std::string& name) {
    const auto query = http::Form::parse(location.substr(location.find('?') + 1));
    return query ? std::string(query->value(name)) : std::string();
  }
  static boost::json::object object(const Answer& answer) {
    boost::system::error_code error;
    const auto value = boost::json::parse(answer.body, error);
    return !error && value.is_object() ? value.get_object() : boost::json::object();
  }

  std::unique_ptr<Services> services_;
  std::unique_ptr<http::Exchange> exchange_;
  std::map<std::string, std::string> cookies_;
  std::optional<Error> proof_error_;
  accounts::CredentialKind proof_kind_ = accounts::CredentialKind::password;
  int proofs_ = 0;
};

}  // namespace muhur::web

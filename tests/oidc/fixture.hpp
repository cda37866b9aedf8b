#pragma once
// A directory with registered clients.

#include "accounts/fixture.hpp"
#include "oidc/clients.hpp"

namespace muhur::oidc {

class WithClients : public accounts::WithDirectory {
 protected:
  void SetUp() override {
    WithDirectory::SetUp();
    open_clients();
  }
  void TearDown() override {
    clients_.reset();
    WithDirectory::TearDown();
  }
  void open_clients() {
    auto opened = Clients::open(*directory_);
    ASSERT_TRUE(opened) << opened.error().text();
    clients_ = std::move(*opened);
  }
  static Client a_client(std::string id, ClientAuth auth = ClientAuth::basic) {
    Client client;
    client.name = id;
    client.id = std::move(id);
    client.auth = auth;
    client.redirect_uris = {"https://app.example/callback"};
    return client;
  }
  // The secret.
  std::string add(const Client& client) {
    auto secret = clients_->add(client);
    EXPECT_TRUE(secret) << secret.error().text();
    return secret.value_or("");
  }
  std::unique_ptr<Clients> clients_;
};

}  // namespace muhur::oidc

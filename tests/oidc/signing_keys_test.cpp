#include "oidc/signing_keys.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <thread>

#include "accounts/fixture.hpp"
#include "oidc/jose.hpp"

namespace muhur::oidc {
namespace {

namespace json = boost::json;
using crypto::SigningAlgorithm;
using std::chrono::seconds;

constexpr SigningKeyOptions kOptions{.rotate_s = 1'000, .overlap_s = 100, .keep_s = 500};

class SigningKeysTest : public accounts::WithDirectory {
 protected:
  void SetUp() override {
    WithDirectory::SetUp();
    open();
  }
  void TearDown() override {
    keys_.reset();
    WithDirectory::TearDown();
  }
  void open() {
    auto opened = SigningKeys::open(*directory_, kOptions);
    ASSERT_TRUE(opened) << opened.error().text();
    keys_ = std::move(*opened);
  }
  std::string signs() { return keys_->active(SigningAlgorithm::es256)->kid; }
  std::vector<std::string> published() {
    std::vector<std::string> kids;
    for (const auto& jwk : json::parse(keys_->jwks()).at("keys").as_array())
      kids.emplace_back(jwk.at("kid").as_string());
    return kids;
  }
  void pass(std::int64_t s) {
    clock_.advance(seconds(s));
    ASSERT_TRUE(keys_->rotate_due());
  }
  std::unique_ptr<SigningKeys> keys_;
};

TEST_F(SigningKeysTest, KeysComeBackAfterARestart) {
  std::map<SigningAlgorithm, std::string> kids;
  for (const auto algorithm : {SigningAlgorithm::es256, SigningAlgorithm::eddsa, SigningAlgorithm::rs256}) {
    const auto active = keys_->active(algorithm);
    ASSERT_TRUE(active);
    EXPECT_EQ(active->key.algorithm(), algorithm);
    kids[algorithm] = active->kid;
  }
  const auto before = keys_->jwks();
  open();
  for (const auto& [algorithm, kid] : kids) EXPECT_EQ(keys_->active(algorithm)->kid, kid);
  EXPECT_EQ(keys_->jwks(), before);
}

TEST_F(SigningKeysTest, TheJwksVerifiesWhatIsSignedAndTellsNoPrivateHalf) {
  for (const auto algorithm : {SigningAlgorithm::es256, SigningAlgorithm::eddsa, SigningAlgorithm::rs256}) {
    const auto active = keys_->active(algorithm);
    const std::string token = sign_jwt({{"sub", "1"}}, "JWT", active->kid, active->key);
    EXPECT_TRUE(JwkSet::parse(keys_->jwks())->verify(*parse_jws(token), kAccepted));
    EXPECT_TRUE(verify_jws(*parse_jws(token), *keys_->find(active->kid), kAccepted));
  }
  const json::value document = json::parse(keys_->jwks());
  ASSERT_EQ(document.at("keys").as_array().size(), 3U);
  for (const auto& jwk : document.at("keys").as_array()) {
    EXPECT_EQ(jwk.at("use").as_string(), "sig");
    EXPECT_TRUE(crypto::signing_algorithm(jwk.at("alg").as_string()));
    EXPECT_FALSE(jwk.as_object().contains("d"));
    EXPECT_FALSE(jwk.as_object().contains("p"));
  }
}

// Bug class 31: a key signs only after every cache has it, and stays until what it signed has expired.
TEST_F(SigningKeysTest, Bug31ANewKeyIsPublishedBeforeItSignsAndTheOldOneStays) {
  const std::string first = signs();
  const std::string etag = keys_->jwks_etag();
  pass(899);
  EXPECT_EQ(published(), std::vector{first});
  pass(1);  // one overlap before its time is up
  ASSERT_EQ(published().size(), 2U);
  EXPECT_NE(keys_->jwks_etag(), etag);
  EXPECT_EQ(signs(), first);
  const std::string second = published()[1];
  pass(99);
  EXPECT_EQ(signs(), first);
  pass(1);
  EXPECT_EQ(signs(), second);
  pass(499);
  EXPECT_TRUE(keys_->find(first));
  EXPECT_EQ(published().size(), 2U);
  pass(1);
  EXPECT_FALSE(keys_->find(first));
  EXPECT_EQ(published(), std::vector{second});
  open();
  EXPECT_EQ(signs(), second);
}

// Bug class 31: a server that slept through its rotation still gives caches their time.
TEST_F(SigningKeysTest, Bug31ALateRotationStillOverlaps) {
  const std::string first = signs();
  pass(50'000);
  ASSERT_EQ(published().size(), 2U);
  EXPECT_EQ(signs(), first);
  pass(99);
  EXPECT_EQ(signs(), first);
  pass(1);
  EXPECT_NE(signs(), first);
}

// A key that was made with its first token was in nobody's copy of the JWKS.
TEST_F(SigningKeysTest, EveryAlgorithmsKeyCanBePublishedBeforeItSigns) {
  ASSERT_TRUE(keys_->publish_all());
  EXPECT_EQ(published().size(), 3U);
  const auto etag = keys_->jwks_etag();
  EXPECT_TRUE(keys_->active(SigningAlgorithm::rs256));
  EXPECT_TRUE(keys_->publish_all());
  EXPECT_EQ(keys_->jwks_etag(), etag);
}

TEST_F(SigningKeysTest, AnOperatorMakesTheNextKeyAndDeletesOldOnes) {
  using State = KeyInfo::State;
  const auto states = [&] {
    std::vector<State> all;
    for (const auto& key : keys_->list()) all.push_back(key.state);
    return all;
  };
  const std::string first = signs();
  ASSERT_TRUE(keys_->rotate_soon(SigningAlgorithm::es256));
  EXPECT_EQ(keys_->rotate_soon(SigningAlgorithm::es256).error().code, Code::exists);
  EXPECT_EQ(signs(), first);
  EXPECT_EQ(states(), (std::vector{State::signs, State::next}));
  pass(100);
  EXPECT_NE(signs(), first);
  EXPECT_EQ(states(), (std::vector{State::kept, State::signs}));
  EXPECT_EQ(keys_->remove(signs()).error().code, Code::invalid);
  EXPECT_EQ(keys_->remove("none").error().code, Code::not_found);
  ASSERT_TRUE(keys_->remove(first));
  EXPECT_FALSE(keys_->find(first));
  open();
  EXPECT_EQ(published(), std::vector{signs()});
}

TEST_F(SigningKeysTest, NothingIsRotatedTwice) {
  pass(900);
  const auto etag = keys_->jwks_etag();
  for (int i = 0; i < 5; ++i) pass(10);
  EXPECT_EQ(keys_->jwks_etag(), etag);
}

TEST_F(SigningKeysTest, RotateNowSignsAtOnceAndKeepsTheOldKeyPublished) {
  const std::string first = signs();
  ASSERT_TRUE(keys_->rotate_now(SigningAlgorithm::es256));
  const std::string second = signs();
  EXPECT_NE(second, first);
  EXPECT_TRUE(keys_->find(first));
  EXPECT_EQ(published().size(), 2U);
  EXPECT_EQ(keys_->active(SigningAlgorithm::eddsa)->key.algorithm(), SigningAlgorithm::eddsa);
}

// Bug class 30: the clock steps back two hours while the server runs.
// A bug: of two keys made within one second, a restart chose by their ids which one signs.
TEST_F(SigningKeysTest, TheKeyThatWasMadeLastSignsAlsoAfterARestart) {
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(keys_->rotate_now(SigningAlgorithm::es256));
  const auto before = published();
  const auto signing = signs();
  open();
  EXPECT_EQ(signs(), signing);
  EXPECT_EQ(published(), before);
}

TEST_F(SigningKeysTest, Bug30AClockThatIsSetBackStillSignsWithAPublishedKey) {
  ASSERT_TRUE(keys_->rotate_now(SigningAlgorithm::es256));
  clock_.advance(-std::chrono::hours(2));
  const auto active = keys_->active(SigningAlgorithm::es256);
  ASSERT_TRUE(active);
  EXPECT_TRUE(keys_->find(active->kid));
  ASSERT_TRUE(keys_->rotate_due());
  EXPECT_EQ(published().size(), 2U);
}

// Bug class 48: a key that cannot be read stops the start and is not replaced.
TEST_F(SigningKeysTest, Bug48AnUnreadableKeyStopsTheStartAndStays) {
  const std::string kid = signs();
  const auto damage = [&](std::string_view sql) {
    ASSERT_TRUE(directory_->database().write([&](vault::Connection& c) { return c.exec(sql); }));
    const auto opened = SigningKeys::open(*directory_, kOptions);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::corrupt);
    EXPECT_THAT(opened.error().what, testing::HasSubstr("cannot be read"));
    const auto rows = directory_->database().read(
        [](vault::Connection& c) { return c.query_int("SELECT count(*) FROM oidc_signing_keys"); });
    EXPECT_EQ(rows, 1);
  };
  damage("UPDATE oidc_signing_keys SET algorithm = 'EdDSA'");
  damage("UPDATE oidc_signing_keys SET algorithm = 'ES256', kid = 'another'");
  damage("UPDATE oidc_signing_keys SET private_key = x'00'");
}

TEST_F(SigningKeysTest, ManyWhoAskAtOnceGetTheOneKey) {
  std::vector<std::string> kids(8);
  {
    std::vector<std::jthread> threads;
    for (auto& kid : kids) threads.emplace_back([&] { kid = keys_->active(SigningAlgorithm::eddsa)->kid; });
  }
  for (const auto& kid : kids) EXPECT_EQ(kid, kids[0]);
  EXPECT_EQ(published().size(), 2U);
}

TEST_F(SigningKeysTest, UnknownKidsAndAlgorithmsThatWeDoNotSignWith) {
  for (const std::string& kid : {std::string(), std::string("'"), std::string("../"), std::string(4096, 'a')})
    EXPECT_FALSE(keys_->find(kid));
  EXPECT_FALSE(keys_->active(SigningAlgorithm::ps256));
}

}  // namespace
}  // namespace muhur::oidc

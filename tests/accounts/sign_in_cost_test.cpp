#include "accounts/sign_in_cost.hpp"

#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

class SignInCostTest : public WithDirectory {
 protected:
  Secret dek_ = Secret::random(32);
};

TEST_F(SignInCostTest, WithoutUsersItIsTheConfiguredOne) {
  SignInCost cost(*directory_, {128, 2});
  cost.refresh();
  EXPECT_EQ(cost.made_up("nobody@x").cost, (crypto::Argon2Cost{128, 2}));
  EXPECT_EQ(cost.made_up("nobody@x").salt.size(), 16U);
}

TEST_F(SignInCostTest, Bug18UnknownAddressesHaveTheCostsOfUsersInTheirProportion) {
  for (int i = 0; i < 3; ++i) (void)add_user("old" + std::to_string(i), "correct horse", dek_, {64, 1});
  (void)add_user("new", "correct horse", dek_, {128, 2});
  SignInCost cost(*directory_, {128, 2});
  cost.refresh();
  int old = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto made_up = cost.made_up("unknown" + std::to_string(i) + "@x");
    if (made_up.cost == crypto::Argon2Cost{64, 1})
      ++old;
    else
      EXPECT_EQ(made_up.cost, (crypto::Argon2Cost{128, 2}));
  }
  // Expected 3000; the bounds are nine standard deviations off.
  EXPECT_GT(old, 2750);
  EXPECT_LT(old, 3250);
}

TEST_F(SignInCostTest, AnAddressKeepsItsCostAcrossRestartsAndMovesAtMostOnce) {
  std::vector<UserId> users;
  for (int i = 0; i < 4; ++i)
    users.push_back(add_user("u" + std::to_string(i), "correct horse", dek_, {64, 1}).user.id);
  Credentials raised(*directory_, {128, 2});
  std::vector<int> moves(200);
  std::vector<crypto::Argon2Cost> last(200, crypto::Argon2Cost{64, 1});
  for (const UserId user : users) {
    ASSERT_TRUE(raised.set_password(user, Secret::from_text("correct horse"), dek_));
    SignInCost cost(*directory_, {128, 2});
    cost.refresh();
    SignInCost again(*directory_, {128, 2});
    again.refresh();
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const auto now = cost.made_up(std::to_string(i)).cost;
      EXPECT_EQ(again.made_up(std::to_string(i)).cost, now);
      if (now != last[i]) ++moves[i];
      last[i] = now;
    }
  }
  for (const int n : moves) EXPECT_EQ(n, 1);
}

}  // namespace
}  // namespace muhur::accounts

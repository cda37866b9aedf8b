#include "accounts/sign_in_async.hpp"

#include "base/metrics.hpp"

namespace muhur::accounts {

net::Task<Result<SignedIn>> sign_in(SignIn& signing_in, passwords::Verifier& verifier, net::Pools& pools,
                                    std::string address, Secret password, std::string peer) {
  // Not on the storage pool: it may wait for others who guess at the same account.
  auto started =
      co_await net::on(pools.passwords, [&] { return signing_in.prepare(address, password.view(), peer); });
  if (!started) co_return std::unexpected(std::move(started).error());
  password.wipe();
  const auto verdict =
      co_await verifier.verify(started->password().copy(), passwords::to_text(started->record()));
  if (!verdict) {
    static auto& unavailable =
        metrics::counter("muhur_sign_ins_total", "Sign-ins by result", "result=\"unavailable\"");
    unavailable.add();
    co_return std::unexpected(verdict.error());
  }
  auto in = co_await net::on(pools.storage, [&] { return signing_in.conclude(*started, *verdict); });
  if (in && signing_in.wants_mailbox(*in))
    co_return co_await net::on(pools.passwords,
                               [&] { return signing_in.finish_first(*started, std::move(*in)); });
  if (in && signing_in.wants_upgrade(*started, *in))
    co_await net::on(pools.passwords, [&] { signing_in.finish_upgrade(*started, *in); });
  co_return in;
}

}  // namespace muhur::accounts

#include "mail/drain.hpp"

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "mail/envelope.hpp"

namespace muhur::mail {
namespace {

// One transaction of the mailbox: large enough to make the commit cheap, small enough for a session that
// wants to write in between.
constexpr std::size_t kBatchMessages = 64;
constexpr std::uint64_t kBatchBytes = 16u << 20;

// Errors of the message and not of the mailbox: no later try will do better.
bool is_messages_fault(Code code) { return code == Code::invalid || code == Code::limit; }

struct Opened {
  std::int64_t id;
  std::string letter;
  std::string delivery_id;
  std::int64_t received_ms;
};

}  // namespace

std::shared_ptr<Drain::Turn> Drain::turn_of(accounts::UserId user) {
  const Lock lock(mutex_);
  auto& place = turns_[user];
  auto turn = place.lock();
  if (!turn) {
    turn = std::make_shared<Turn>();
    place = turn;
    if (turns_.size() % 1024 == 0)
      std::erase_if(turns_, [](const auto& entry) { return entry.second.expired(); });
  }
  return turn;
}

Result<Drained> Drain::up_to(std::size_t messages, accounts::UserId user, mailbox::Mailbox& mailbox) {
  const auto turn = turn_of(user);
  const Lock lock(turn->mutex);
  Drained total;
  do {
    MUHUR_TRY(const Drained some, batch(user, mailbox, messages - total.moved));
    total.moved += some.moved;
    total.duplicates += some.duplicates;
    total.held += some.held;
    total.more = some.more;
  } while (total.more && total.moved < messages);
  return total;
}

Result<Drained> Drain::batch(accounts::UserId user, mailbox::Mailbox& mailbox, std::size_t limit) {
  static auto& moved = metrics::counter("muhur_spool_drained_total", "Messages moved into their mailbox");
  const std::size_t wanted = std::min(limit, kBatchMessages);
  MUHUR_TRY(const auto waiting, spool_.oldest(user, wanted, kBatchBytes));
  Drained result;
  if (waiting.empty()) return result;

  MUHUR_TRY(Bytes private_half, mailbox.sealing_private_half());
  crypto::SealingPair pair{{}, Secret(private_half)};
  wipe(private_half);
  MUHUR_TRY(pair.public_half, mailbox.sealing_public_half());
  MUHUR_TRY(const mailbox::Folder inbox, mailbox.folder("INBOX"));

  std::vector<Opened> opened;
  for (const auto& one : waiting) {
    auto letter = open_letter(pair, one.head, one.body);
    if (letter) {
      opened.push_back({one.id, std::move(*letter), one.delivery_id, one.received_ms});
    } else {
      MUHUR_CHECK(spool_.hold(user, one.id, letter.error().what));
      ++result.held;
    }
  }
  std::vector<mailbox::AppendRequest> requests;
  for (const auto& one : opened) {
    mailbox::AppendRequest request;
    request.folder = inbox.id;
    request.message = one.letter;
    request.date_s = one.received_ms / 1000;
    request.delivery_id = one.delivery_id;
    requests.push_back(std::move(request));
  }

  std::vector<std::int64_t> done;
  const auto count = [&](const mailbox::Appended& appended, std::int64_t id) {
    done.push_back(id);
    ++(appended.duplicate ? result.duplicates : result.moved);
  };
  Result<void> outcome;
  if (auto all = mailbox.append_all(requests)) {
    for (std::size_t i = 0; i < all->size(); ++i) count((*all)[i], opened[i].id);
  } else if (is_messages_fault(all.error().code)) {
    // One of them spoils the batch: each alone.
    for (std::size_t i = 0; i < requests.size() && outcome; ++i) {
      if (auto appended = mailbox.append(requests[i])) {
        count(*appended, opened[i].id);
      } else if (is_messages_fault(appended.error().code)) {
        MUHUR_CHECK(spool_.hold(user, opened[i].id, appended.error().what));
        ++result.held;
      } else {
        outcome = std::unexpected(appended.error());
      }
    }
  } else {
    outcome = std::unexpected(all.error());
  }
  if (!done.empty()) {
    MUHUR_TRY(const auto used, mailbox.bytes_used());
    MUHUR_CHECK(spool_.remove(user, done, used));
    moved.add(result.moved);
  }
  MUHUR_CHECK(outcome);
  MUHUR_TRY(result.more, spool_.has_mail(user));
  return result;
}

void Drain::in_background(accounts::UserId user, std::shared_ptr<mailbox::Mailbox> mailbox) {
  auto turn = turn_of(user);
  // One that has not begun will see this message too.
  if (turn->asked.fetch_add(1) > 0) return;
  background_.post([this, user, mailbox = std::move(mailbox), turn = std::move(turn)] {
    background_batch(user, mailbox, turn);
  });
}

void Drain::background_batch(accounts::UserId user, const std::shared_ptr<mailbox::Mailbox>& mailbox,
                             const std::shared_ptr<Turn>& turn) {
  Result<Drained> drained;
  {
    const Lock lock(turn->mutex);
    turn->asked = 0;
    drained = batch(user, *mailbox, kBatchMessages);
  }
  if (!drained) {
    log::warn("spool", "mail waits on: it could not be moved into its mailbox",
              {{"user", user}, {"error", drained.error().what}});
  } else if (drained->more) {
    // Behind what other users wait for, rather than all at once.
    in_background(user, mailbox);
  }
}

}  // namespace muhur::mail

#include "mailbox/content.hpp"

#include "base/log.hpp"
#include "mailbox/content_impl.hpp"
#include "mailbox/emails.hpp"

namespace muhur::mailbox {
namespace {

// One step of remove_leaving(), and from its end the next: other works get in between.
struct Leaving : std::enable_shared_from_this<Leaving> {
  std::shared_ptr<Pins> pins;
  std::weak_ptr<vault::Database> database;
  EmailId behind = 0;

  void step() {
    const auto open = database.lock();
    if (!open) return;  // what is left goes when the mailbox is next opened
    auto removal = std::make_shared<Pins::Removal>(pins);
    open->write_async(
        [self = shared_from_this(), removal](vault::Connection& connection) {
          return Emails(connection).remove_leaving(*removal, self->behind);
        },
        [self = shared_from_this(), removal](const Result<void>& removed) {
          if (removed && removal->left_some()) return self->step();
          // Their rows in `leaving` are still there: they are tried again at the next time.
          if (!removed && removed.error().code != Code::closed)
            log::warn("mailbox", "expunged content stays for now", {{"error", removed.error().what}});
        });
  }
};

}  // namespace

void remove_leaving(std::shared_ptr<Pins> pins, const std::shared_ptr<vault::Database>& database) {
  const auto leaving = std::make_shared<Leaving>();
  leaving->pins = std::move(pins);
  leaving->database = database;
  leaving->step();
}

Pin::Pin(std::shared_ptr<Pins> pins, std::weak_ptr<vault::Database> database, EmailId id)
    : pins_(std::move(pins)), database_(std::move(database)), id_(id) {
  pins_->hold(id_);
}

Pin::~Pin() {
  if (!pins_->release(id_)) return;
  if (const auto database = database_.lock()) remove_leaving(pins_, database);
}

Content::Content(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Content::Content(Content&&) noexcept = default;
Content& Content::operator=(Content&&) noexcept = default;
Content::~Content() = default;

std::uint64_t Content::size() const { return impl_->stored.size(); }

Result<std::string> Content::read(std::uint64_t offset, std::uint64_t size) {
  if (impl_->stored.is_at_hand(offset, size)) return impl_->stored.read(nullptr, offset, size);
  const auto database = impl_->database.lock();
  if (!database) return fail(Code::closed, "The mailbox was closed meanwhile");
  return database->read(
      [&](vault::Connection& connection) { return impl_->stored.read(&connection, offset, size); });
}

}  // namespace muhur::mailbox

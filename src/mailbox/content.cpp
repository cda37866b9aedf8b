#include "mailbox/content.hpp"

#include "mailbox/content_impl.hpp"

namespace muhur::mailbox {

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

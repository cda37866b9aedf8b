#pragma once
// A criterion made ready to look at messages one by one: needles folded, keyword ids found, what is cheap
// asked first. Content is read only when a criterion asks for it.

#include <memory>

#include "mailbox/rows.hpp"
#include "mailbox/search.hpp"

namespace muhur::mailbox {

class Matcher {
 public:
  // Of the connection only for this call.
  static Result<Matcher> make(vault::Connection& connection, const Criterion& criterion);
  Matcher(Matcher&&) noexcept;
  ~Matcher();

  // Whether the row alone is enough to tell.
  bool needs_content() const;
  // A message that is gone from under the row does not match.
  Result<bool> matches(vault::Connection& connection, const Row& row) const;

 private:
  struct Node;
  explicit Matcher(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
};

}  // namespace muhur::mailbox

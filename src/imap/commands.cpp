#include "imap/commands.hpp"

#include <array>

#include "base/unicode.hpp"

namespace muhur::imap {
namespace {

constexpr unsigned kNot = Session::kNotAuthenticated;
constexpr unsigned kSignedIn = Session::kAuthenticated | Session::kSelected;
constexpr unsigned kAny = kNot | kSignedIn;
constexpr unsigned kSel = Session::kSelected;

constexpr std::array<Command, 34> kCommands = {{
    {"CAPABILITY", kAny, cmd_capability},
    {"NOOP", kAny, cmd_noop},
    {"LOGOUT", kAny, cmd_logout},
    {"ID", kAny, cmd_id},
    {"STARTTLS", kNot, cmd_starttls},
    {"AUTHENTICATE", kNot, cmd_authenticate},
    {"LOGIN", kNot, cmd_login},
    {"ENABLE", kSignedIn, cmd_enable},
    {"SELECT", kSignedIn, cmd_select},
    {"EXAMINE", kSignedIn, cmd_examine},
    {"CREATE", kSignedIn, cmd_create},
    {"DELETE", kSignedIn, cmd_delete},
    {"RENAME", kSignedIn, cmd_rename},
    {"SUBSCRIBE", kSignedIn, cmd_subscribe},
    {"UNSUBSCRIBE", kSignedIn, cmd_unsubscribe},
    {"LIST", kSignedIn, cmd_list},
    {"LSUB", kSignedIn, cmd_lsub},
    {"XLIST", kSignedIn, cmd_xlist},
    {"NAMESPACE", kSignedIn, cmd_namespace},
    {"STATUS", kSignedIn, cmd_status},
    {"APPEND", kSignedIn, cmd_append},
    {"IDLE", kSignedIn, cmd_idle},
    {"GETQUOTA", kSignedIn, cmd_getquota},
    {"GETQUOTAROOT", kSignedIn, cmd_getquotaroot},
    {"SETQUOTA", kSignedIn, cmd_setquota},
    {"CHECK", kSel, cmd_check},
    {"CLOSE", kSel, cmd_close},
    {"UNSELECT", kSel, cmd_unselect},
    {"EXPUNGE", kSel, cmd_expunge, true},
    {"SEARCH", kSel, cmd_search, true, true},
    {"FETCH", kSel, cmd_fetch, true, true},
    {"STORE", kSel, cmd_store, true, true},
    {"COPY", kSel, cmd_copy, true},
    {"MOVE", kSel, cmd_move, true},
}};

}  // namespace

const Command* find_command(std::string_view name) {
  for (const auto& command : kCommands)
    if (equals_ignoring_case(command.name, name)) return &command;
  return nullptr;
}

}  // namespace muhur::imap

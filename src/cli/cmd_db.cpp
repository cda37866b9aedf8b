// muhur db: the database files, one at a time, while no server uses them.
#include "cli/cmd_db.hpp"

namespace muhur::cli {

void describe_db(Command& root) {
  auto& db = root.command("db", "Looks into, checks, copies and changes database files.");
  db.manual(
      "DATABASE is one of\n"
      "  a user's address              the mailbox; asks for the user's password, which opens it\n"
      "  directory, sessions, spool    the server's own; server.key opens them\n"
      "  the path of a file            any database in a format that Muhur reads; asks for its passphrase, "
      "or\n"
      "                                takes --key-file or --passphrase-file; a plain one needs neither\n"
      "\n"
      "Nothing else may use the database meanwhile: with a server running these commands say so and stop.\n"
      "Passphrases and keys come from a prompt, from files, or from lines of standard input, never from the\n"
      "command line.");
  describe_db_look(db);
  describe_db_change(db);
  describe_db_copy(db);
  describe_db_shell(db);
}

}  // namespace muhur::cli

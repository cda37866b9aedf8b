// What a client was handed and what it used, kept apart by whether the server's answer came whole: the ledger of
// tests that kill the server under it.
//
// One family is what one authorization brought: a code, then a chain of refresh tokens with their access tokens.
//   code:  handed -> (asked) -> used        asked: sent, and no answer came: may be either
//   link:  handed -> (asked) -> used        the last link is the one that must still work
import { addressOf } from './identity.mjs';

export class Family {
  constructor(user, back) {
    Object.assign(this, { user, back, code: 'handed', links: [], revoked: false });
  }
  get last() {
    return this.links.at(-1);
  }
  hand({ refresh_token, access_token }) {
    this.links.push({ refresh: refresh_token, access: access_token, state: 'handed' });
  }
  get used() {
    return this.links.filter(({ state }) => state === 'used');
  }
}

// Answers that never came whole are undefined: the server was killed meanwhile. What a test itself does wrong throws.
export async function whole(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TypeError && /fetch failed|terminated/.test(error.message)) return undefined;
    if (error?.cause?.code || /socket|ECONN|other side closed/i.test(error?.message ?? '')) return undefined;
    if (error instanceof SyntaxError) return undefined; // JSON cut short
    throw error;
  }
}

// One user with one browser, who signs in, lets the client exchange its code and refresh, and now and then ends a
// family, until the server is gone. What goes in is asserted by `unexpected`.
export class Visitor {
  constructor(id, app, user, password, unexpected) {
    Object.assign(this, { id, app, user, password, unexpected, families: [], finished: 0 });
    this.browser = id.browser();
    this.signedIn = false; // the answer with the session came whole
  }
  async run(gone) {
    for (let n = 0; !gone(); ++n) {
      const family = await this.authorize(n);
      if (!family) continue;
      await this.exchange(family);
      for (let i = 0; i < 1 + (n % 3) && family.last?.state === 'handed' && !gone(); ++i) await this.refresh(family);
      if (n % 5 === 4 && family.last?.state === 'handed') await this.revoke(family);
    }
  }
  async authorize(n) {
    // Every third time with the password again: hashing is part of the load.
    const parameters = { scope: 'openid offline_access', prompt: n % 3 === 2 ? 'login' : undefined };
    const back = await whole(() => this.id.authorize(this.browser, this.app, parameters, { user: addressOf(this.user), password: this.password }));
    if (!back) {
      if (n % 3 === 2) this.signedIn = false; // the session may be a new one that we do not know of
      return undefined;
    }
    if (!back.parameters.code) {
      this.unexpected(`no code for ${this.user}: ${back.page.status} ${back.page.title} ${back.page.alert ?? ''}`);
      return undefined;
    }
    this.signedIn = true;
    const family = new Family(this.user, back);
    this.families.push(family);
    return family;
  }
  async exchange(family) {
    family.code = 'asked';
    const answer = await whole(() => this.id.exchange(this.app, family.back));
    if (!answer) return;
    if (answer.status !== 200) return this.unexpected(`a code was refused: ${answer.text}`);
    family.code = 'used';
    family.codeUsedAt = Date.now();
    family.hand(answer.body);
    this.finished += 1;
  }
  async refresh(family) {
    const link = family.last;
    link.state = 'asked';
    const answer = await whole(() => this.id.token(this.app, { grant_type: 'refresh_token', refresh_token: link.refresh }));
    if (!answer) return;
    if (answer.status !== 200) return this.unexpected(`a refresh token was refused: ${answer.text}`);
    link.state = 'used';
    link.usedAt = Date.now();
    family.hand(answer.body);
    this.finished += 1;
  }
  async revoke(family) {
    family.revoked = 'asked';
    const answer = await whole(() => this.id.post('/oauth2/revoke', this.app, { token: family.last.refresh }));
    if (!answer) return;
    if (answer.status !== 200) return this.unexpected(`a revocation failed: ${answer.text}`);
    family.revoked = true;
  }
}

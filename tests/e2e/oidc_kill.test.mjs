// kill -9 in the middle of many sign-ins and refreshes: what was handed out still works, what was used is not taken
// again. What was under way when the server died may have happened or not, and is asked about by both ends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { IdentityServer } from './lib/identity.mjs';

let id, app;
before(async () => {
  id = await IdentityServer.start();
  app = id.addClient('app', ['--public']);
});
after(() => id?.remove());

const refresh = (refresh_token) => id.token(app, { grant_type: 'refresh_token', refresh_token });

// One browser signing in again and again, each time refreshing a few times, until a request fails. Everything that
// was answered is written into `seen`.
async function live(seen) {
  const browser = id.browser();
  try {
    for (;;) {
      const sign_in = { back: await id.authorize(browser, app), refreshes: [] };
      seen.push(sign_in);
      if (Math.random() < 0.2) continue;  // a code that nobody redeems
      sign_in.redeeming = true;
      sign_in.tokens = (await id.exchange(app, sign_in.back)).body;
      for (let i = 0; i < 3; ++i) {
        const last = sign_in.refreshes.at(-1)?.next ?? sign_in.tokens;
        const step = { used: last.refresh_token };
        sign_in.refreshes.push(step);
        step.next = (await refresh(step.used)).body;
      }
    }
  } catch (error) {
    if (!/fetch failed|ECONNRE|other side closed|terminated/i.test(`${error} ${error.cause}`)) throw error;
  }
}

for (let round = 1; round <= 3; ++round) {
  test(`killed under load, round ${round}: no code and no refresh token twice, none lost`, async () => {
    const seen = [];
    const lives = Promise.all(Array.from({ length: 8 }, () => live(seen)));
    while (seen.filter(({ tokens }) => tokens).length < 20) await setTimeout(10);
    await setTimeout(50 + Math.random() * 100);
    const killed = Date.now();
    await id.restart({ signal: 'SIGKILL' });
    await lives;
    const redeemed = seen.filter(({ tokens }) => tokens);
    assert.ok(redeemed.length >= 20);

    // Handed out and never used: good. The last few are young enough for a code's minute.
    for (const { back } of seen.filter(({ redeeming }) => !redeeming).slice(-10)) assert.equal((await id.exchange(app, back)).status, 200);
    for (const { tokens, refreshes } of redeemed.slice(-20)) {
      const whole = refreshes.filter(({ next }) => next);
      const last = whole.at(-1)?.next ?? tokens;
      assert.equal((await id.userinfo(last.access_token)).status, 200);
      const torn = refreshes.at(-1);
      if (torn && !torn.next) {
        // Nobody knows whether this one was used. It gives a successor, and the same one when it is asked again.
        const one = await refresh(torn.used);
        if (one.status !== 200 && Date.now() - killed > 8_000) continue;  // a slow restart: the grace is over
        assert.equal(one.status, 200, JSON.stringify(one.body));
        const two = await refresh(torn.used);
        assert.equal(two.body.refresh_token, one.body.refresh_token);
      } else if (whole.length > 0) {
        // Used and answered: within the grace it gives its one successor, as it did.
        const again = await refresh(whole.at(-1).used);
        if (again.status === 200) assert.equal(again.body.refresh_token, last.refresh_token);
        else assert.equal(again.body.error, 'invalid_grant');
      }
    }
    // A code that was redeemed is not redeemed again, whatever happened in between.
    for (const { back } of redeemed) {
      const again = await id.exchange(app, back);
      assert.equal(again.status, 400);
      assert.equal(again.body.error, 'invalid_grant');
    }
  });
}

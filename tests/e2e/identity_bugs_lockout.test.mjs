// Bug classes of identity providers about guessing: enumeration, counters and how to get around them. Nothing
// here looks at a clock: what is compared is the work that was done and the bytes that came back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atOnce, metric } from './lib/attack.mjs';
import { addressOf, IdentityServer, passwords } from './lib/identity.mjs';
import { Imap } from './lib/imap.mjs';

let id, app, proxied;
const free = 5;

before(async () => {
  id = await IdentityServer.start({ settings: { MUHUR_SIGN_IN_FREE_GUESSES: String(free) } });
  app = id.addClient('app', ['--public', '--first-party']);
  proxied = await IdentityServer.start({
    settings: { MUHUR_HTTP_TRUSTED_PROXIES: '127.0.0.1', MUHUR_SIGN_IN_FREE_GUESSES_PER_NETWORK: '4', MUHUR_SIGN_IN_FREE_GUESSES: '1000' },
  });
  proxied.app = proxied.addClient('app', ['--public', '--first-party']);
});
after(() => Promise.all([id?.remove(), proxied?.remove()]));

const hashes = (server = id) => metric(server.issuer, 'muhur_password_hashes_total');
const addUser = (name, password = passwords.alice) => id.installation.must(['user', 'add', addressOf(name)], { input: password + '\n' });

// One guess in a browser of its own: the answer, and how many hashes it cost.
async function guess(login, password, server = id, options) {
  const browser = server.browser(options);
  const page = await browser.get(server.authorizeUrl(server.app ?? app).url);
  const before = await hashes(server);
  const answer = await browser.submit(page, { login, password }, { form: page.form('password') });
  return { answer, cost: (await hashes(server)) - before };
}

// A page without what is different at every showing by its nature.
function comparable({ status, headers, text, setCookies }, login) {
  const body = text.replace(/name="(csrf|pending)" value="[^"]*"/g, 'name="$1"').replaceAll(`value="${login}"`, 'value="LOGIN"')
    .replaceAll(' autofocus', '');  // on the empty field
  const kept = [...headers].filter(([name]) => !['date', 'content-length', 'set-cookie'].includes(name));
  return { status, body, headers: kept, cookies: setCookies.length };
}

test('bugs 18, 19 and 46: wrong, unknown, disabled and odd addresses cost the same work and give the same bytes', async () => {
  addUser('idle');
  id.installation.must(['user', 'disable', addressOf('idle')]);
  const logins = [
    [addressOf('bob'), 'a wrong password'], [addressOf('nobody'), 'a wrong password'], [addressOf('idle'), 'a wrong password'],
    [addressOf('idle'), passwords.alice], ['someone@unknown.example', 'a wrong password'], ['bob', 'a wrong password'],
    ['', 'a wrong password'], ['@', 'a wrong password'], ["' OR 1=1 --", 'a wrong password'], ['x'.repeat(400), 'a wrong password'],
    ['postmaster@example.org', 'a wrong password'], ['bob+tag@example.org', passwords.bob],
  ];
  let expected;
  for (const [login, password] of logins) {
    const { answer, cost } = await guess(login, password);
    const shown = login.slice(0, 320).replaceAll("'", '&#39;');
    const got = comparable(answer, shown);
    expected ??= got;
    assert.deepEqual(got, expected, login);
    assert.equal(cost, 1, `${login}: hashes`);
    assert.equal(answer.status, 200);
  }
});

test('bugs 18 and 19: a password that can be nobody\'s is refused alike, and unhashed alike', async () => {
  for (const password of ['', 'x'.repeat(1025), '\ufffd'.repeat(400)]) {
    const [known, unknown] = [await guess(addressOf('bob'), password), await guess(addressOf('nobody'), password)];
    assert.equal(known.cost, unknown.cost, password.slice(0, 5));
    assert.deepEqual(comparable(known.answer, addressOf('bob')), comparable(unknown.answer, addressOf('nobody')));
  }
});

test('bugs 18 and 19: 100 known and 100 unknown addresses at once cost the same number of hashes', async () => {
  const many = 100;
  const spent = async (login) => {
    const before = await hashes();
    const answers = await atOnce(many, (i) => id.signInOnce(login(i)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    return (await hashes()) - before;
  };
  id.signInOnce = async (login) => {
    const browser = id.browser();
    const page = await browser.get(id.authorizeUrl(app).url);
    return browser.submit(page, { login, password: 'a wrong password' }, { form: page.form('password') });
  };
  // Real users in a tenth of the accounts: each has its own counter.
  for (let i = 0; i < many / 5; ++i) addUser(`known${i}`);
  assert.equal(await spent((i) => addressOf(`known${i % (many / 5)}`)), many);
  assert.equal(await spent((i) => addressOf(`absent${i % (many / 5)}`)), many);
});

test('bug 19: a wait is told for accounts that do not exist as for those that do', async () => {
  addUser('target');
  for (const login of [addressOf('target'), addressOf('ghost')]) {
    let told;
    for (let i = 0; i < free + 12 && !told; ++i) {
      const { answer, cost } = await guess(login, 'a wrong password');
      if (answer.status === 429) told = { answer, cost };
    }
    assert.ok(told, `${login} was never slowed down`);
    assert.equal(told.cost, 0);
    assert.ok(Number(told.answer.headers.get('retry-after')) >= 1);
    // The right password is not even looked at.
    const right = await guess(login, passwords.alice);
    if (right.answer.status === 429) assert.equal(right.cost, 0);
  }
});

test('bug 20: all spellings of an address and all protocols share one counter', async () => {
  addUser('shared');
  const { imap } = id.endpoints;
  const byImap = async (login) => {
    const client = await Imap.open(imap);
    const reply = await client.command(`LOGIN "${login}" "a wrong password"`);
    client.close();
    return /UNAVAILABLE|wait/i.test(reply.text) ? 429 : 200;
  };
  const byForm = async (login) => (await guess(login, 'a wrong password')).answer.status;
  const spellings = ['shared@example.org', 'SHARED@EXAMPLE.ORG', 'Shared@Example.Org', 'ＳＨＡＲＥＤ@example.org', 'shared@example.org.'];
  // Each admitted guess beyond the free ones doubles the wait: so many in a row are never all admitted.
  let refused = 0, admitted = 0;
  for (let i = 0; i < free + 13; ++i) {
    const login = spellings[i % spellings.length];
    const status = i % 3 === 2 && /^[!-~]*$/.test(login) ? await byImap(login) : await byForm(login);
    status === 429 ? ++refused : ++admitted;
  }
  assert.ok(refused > 0, `${admitted} guesses were admitted`);
  // Another account is not touched by that.
  assert.equal((await guess(addressOf('admin'), 'a wrong password')).answer.status, 200);
});

test('bug 40: parallel wrong guesses are each counted', async () => {
  addUser('many');
  const before = await hashes();
  const answers = await atOnce(60, async () => {
    const browser = id.browser();
    const page = await browser.get(id.authorizeUrl(app).url);
    return browser.submit(page, { login: addressOf('many'), password: 'a wrong password' }, { form: page.form('password') });
  });
  const admitted = answers.filter(({ status }) => status === 200).length;
  assert.equal(admitted + answers.filter(({ status }) => status === 429).length, 60);
  // A counter that loses updates admits most of them. Beyond the free ones each costs twice the wait before.
  assert.ok(admitted <= free + 9, `${admitted} admitted`);
  assert.equal((await hashes()) - before, admitted);
});

test('bug 41: X-Forwarded-For of a stranger changes nothing', async () => {
  const browser = id.browser({ headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' } });
  await id.authorize(browser, app);
  const page = await browser.get('/account/sessions');
  assert.match(page.text, /127\.0\.0\.1/);
  assert.ok(!page.text.includes('203.0.113.9'));
  // A web server here that was not made known: its visitors are not on this machine.
  assert.equal((await browser.request('GET', '/metrics')).status, 404);
  assert.equal((await id.browser().request('GET', '/metrics')).status, 200);
});

test('bug 41: behind a trusted proxy the address counts from the right', async () => {
  for (const [forwarded, address] of [
    ['198.51.100.7', '198.51.100.7'], ['203.0.113.9, 198.51.100.7', '198.51.100.7'], ['198.51.100.7, 127.0.0.1', '198.51.100.7'],
    ['203.0.113.9, nonsense', '127.0.0.1'], ['203.0.113.9,', '127.0.0.1'], ['[2001:db8::7]:4711', '2001:db8::7'], ['198.51.100.8:1234', '198.51.100.8'],
    ["<script>x</script>", '127.0.0.1'],
  ]) {
    const browser = proxied.browser({ headers: { 'x-forwarded-for': forwarded } });
    await proxied.authorize(browser, proxied.app);
    const page = await browser.get('/account/sessions');
    const own = /<p class="tag">.*?<\/dl>/s.exec(page.text)[0];
    assert.ok(own.includes(`<bdi>${address}</bdi>`), `${forwarded}: ${own}`);
    assert.equal((await browser.request('GET', '/metrics')).status, 404, 'numbers for everybody behind the proxy');
  }
});

test('bug 41: what a client writes to the left does not get it a new counter', async () => {
  let refused;
  for (let i = 0; i < 4 + 12 && !refused; ++i) {
    const headers = { 'x-forwarded-for': `203.0.113.${i}, 2001:db8:${i}::1, 192.0.2.66` };
    const { answer } = await guessWithoutMetrics(`user${i}@example.org`, headers);
    if (answer.status === 429) refused = answer;
  }
  assert.ok(refused, 'the network was never slowed down');
  // Its neighbour may still sign in.
  const back = await proxied.authorize(proxied.browser({ headers: { 'x-forwarded-for': '192.0.2.67' } }), proxied.app);
  assert.ok(back.parameters.code);
  // An IPv6 network is its /64.
  refused = undefined;
  for (let i = 0; i < 4 + 12 && !refused; ++i) {
    const { answer } = await guessWithoutMetrics(`other${i}@example.org`, { 'x-forwarded-for': `2001:db8:5:5::${i + 1}` });
    if (answer.status === 429) refused = answer;
  }
  assert.ok(refused, 'each address of a /64 had a counter of its own');
});

async function guessWithoutMetrics(login, headers) {
  const browser = proxied.browser({ headers });
  const page = await browser.get(proxied.authorizeUrl(proxied.app).url);
  return { answer: await browser.submit(page, { login, password: 'a wrong password' }, { form: page.form('password') }) };
}

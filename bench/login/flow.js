// The load of `muhur bench login` for k6: the same five steps, a fresh browser's cookies each, no think time.
//
//   k6 run --env URL=http://127.0.0.1:8080 --env USERS=100 --env SECONDS=30 bench/login/flow.js
//
// Accounts and client are those of `muhur demo --bench-accounts 1000` (--env ACCOUNTS=1000).
import http from 'k6/http';
import crypto from 'k6/crypto';
import encoding from 'k6/encoding';
import exec from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';
import { sleep } from 'k6';

const base = __ENV.URL || 'http://127.0.0.1:10146';
const accounts = Number(__ENV.ACCOUNTS || 1000);
const client = 'bench';
const callback = 'http://127.0.0.1/callback';

export const options = {
  scenarios: {
    sign_ins: {
      executor: 'constant-vus',
      vus: Number(__ENV.USERS || 100),
      duration: `${__ENV.SECONDS || 30}s`,
      gracefulStop: '60s',
    },
  },
  summaryTrendStats: ['p(50)', 'p(95)', 'p(99)', 'max'],
  thresholds: { flow_errors: ['count==0'], flow_success_rate: ['rate>0.99'] },
};

const latency = {
  authorize: new Trend('authorize_latency', true),
  login: new Trend('login_latency', true),
  token: new Trend('token_latency', true),
  introspect: new Trend('introspect_latency', true),
  refresh: new Trend('refresh_latency', true),
};
const errors = new Counter('flow_errors');
const refused = new Counter('flow_refused');
const success = new Rate('flow_success_rate');

const query = (fields) =>
  Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

// The values of our page's hidden inputs are of the base64url alphabet: nothing in them is escaped.
function hiddenInputs(html) {
  const found = {};
  for (const [, name, value] of html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    found[name] = value;
  return found;
}

class Stopped extends Error {}

function step(name, response, expected, right) {
  if (response.status === 503 && response.headers['Retry-After']) {
    refused.add(1);
    sleep(Number(response.headers['Retry-After']));
    throw new Stopped('refused');
  }
  if (!expected.includes(response.status) || !right(response)) {
    errors.add(1);
    success.add(false);
    throw new Stopped(`${name}: status ${response.status}`);
  }
  latency[name].add(response.timings.duration);
  return response;
}

function signIn() {
  const digits = String(1 + (exec.scenario.iterationInTest % accounts)).padStart(4, '0');
  const hex = (bytes) => Array.from(new Uint8Array(crypto.randomBytes(bytes)), (b) => b.toString(16).padStart(2, '0')).join('');
  const verifier = hex(32).slice(0, 43);
  const challenge = encoding.b64encode(crypto.sha256(verifier, 'binary'), 'rawurl');
  const state = hex(8);
  const asBrowser = { redirects: 0, jar: new http.CookieJar() };
  const direct = { redirects: 0, jar: new http.CookieJar() };

  const page = step('authorize', http.get(`${base}/oauth2/authorize?${query({
    response_type: 'code', client_id: client, redirect_uri: callback, scope: 'openid profile email', state,
    code_challenge: challenge, code_challenge_method: 'S256',
  })}`, { ...asBrowser, tags: { name: 'authorize' } }), [200], (r) => r.body.includes('name="pending"'));

  const done = step('login', http.post(`${base}/oauth2/login`, {
    ...hiddenInputs(page.body), login: `bench${digits}@example.org`, password: `bench-password-${digits}`,
  }, { ...asBrowser, headers: { Origin: base, Referer: `${base}/oauth2/authorize` } }), [302, 303],
  (r) => /[?&]code=/.test(r.headers.Location) && r.headers.Location.includes(`state=${state}`));
  const code = decodeURIComponent(/[?&]code=([^&]+)/.exec(done.headers.Location)[1]);

  const tokens = step('token', http.post(`${base}/oauth2/token`, {
    grant_type: 'authorization_code', code, redirect_uri: callback, client_id: client, code_verifier: verifier,
  }, direct), [200], (r) => r.json('access_token') && r.json('refresh_token')).json();

  step('introspect', http.post(`${base}/oauth2/introspect`, JSON.stringify({ token: tokens.access_token }), {
    ...direct, headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tokens.access_token}` },
  }), [200], (r) => r.json('active') === true);

  step('refresh', http.post(`${base}/oauth2/token`, {
    grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: client,
  }, direct), [200], (r) => Boolean(r.json('access_token')));
}

export default function () {
  try {
    signIn();
    success.add(true);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

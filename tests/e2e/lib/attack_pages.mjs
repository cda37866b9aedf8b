// What must hold of every answer, whatever was asked. Each check throws with what was asked in its text.
import assert from 'node:assert/strict';
import { mark, markup } from './attack.mjs';

const ourCookies = /^(__Host-)?muhur-(session|browser)=[\w-]*(; (Path=\/|Max-Age=0|Secure|HttpOnly|SameSite=Lax))+$/;
const policy = /^default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'(; script-src 'sha256-[\w+/=]+')?; form-action 'self'( https?:\/\/[\w.:-]+)*$/;

// `answer`: { status, headers, text }; `allowed`: origins that a Location or a form may name beside our own.
export function assertHarmless(answer, { issuer, allowed = [], asked }) {
  const { status, headers, text } = answer;
  const say = (what) => `${what}\n  asked: ${JSON.stringify(asked).slice(0, 600)}\n  got: ${status} ${text.slice(0, 300)}`;
  assert.ok(status < 500, say('a failure of ours'));
  for (const line of headers.getSetCookie()) assert.match(line, ourCookies, say('a cookie'));
  for (const [name, value] of headers) {
    assert.ok(!/planted/i.test(name === 'location' ? name : name + value), say('a header that was planted'));
    assert.ok(!/[\r\n\0]/.test(value), say(`control characters in ${name}`));
  }
  assert.equal(headers.get('x-content-type-options'), 'nosniff', say('nosniff'));
  assert.equal(headers.get('x-frame-options'), 'DENY', say('framing'));
  const location = headers.get('location');
  if (location !== null) {
    assert.match(location, /^[!-~]+$/, say('Location'));
    const to = new URL(location, issuer);
    const fine = [new URL(issuer).origin, ...allowed].includes(to.protocol.startsWith('http') ? to.origin : to.protocol);
    assert.ok(fine, say(`led to ${location}`));
    assert.ok(!location.startsWith('//'), say('Location without a scheme'));
  }
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/html')) assertHarmlessPage(answer, { issuer, allowed, say });
  else if (type.startsWith('application/json')) JSON.parse(text);
  else assert.ok(type === '' || type.startsWith('text/plain') || type === 'application/jwt', say(`content type ${type}`));
  if (status !== 304 && status !== 405 && status !== 404 && type !== '' && !/public/.test(headers.get('cache-control') ?? ''))
    assert.match(headers.get('cache-control') ?? '', /no-store/, say('it may be cached'));
  assert.equal(headers.get('access-control-allow-credentials'), null, say('CORS with credentials'));
}

function assertHarmlessPage({ headers, text }, { allowed, issuer, say }) {
  const csp = headers.get('content-security-policy');
  assert.match(csp, policy, say('policy ' + csp));
  const named = (csp.split('form-action ')[1] ?? '').split(' ').filter((source) => source !== "'self'");
  for (const source of named) assert.ok(allowed.includes(source), say(`form-action ${source}`));
  for (const hostile of markup)
    if (/[<>"']/.test(hostile)) assert.ok(!text.includes(hostile), say('markup came back as it was sent'));
  assert.ok(!new RegExp(`<[^>]*\\bon\\w+\\s*=`, 'i').test(stripAttributes(text)), say('a handler'));
  const scripts = [...text.matchAll(/<script\b([^>]*)>(.*?)<\/script>/gs)];
  assert.ok(scripts.length <= 1 && scripts.every(([, attributes, body]) => attributes === '' && body === 'document.forms[0].submit()'), say('a script'));
  assert.equal(scripts.length > 0, csp.includes('script-src'), say('a script without its hash, or the other way round'));
  for (const [, name, value] of text.matchAll(/\s(href|src|action|formaction)="([^"]*)"/g)) {
    const fine = /^(\/(?!\/)|#|https:\/\/|http:\/\/127\.0\.0\.1|mailto:)/.test(value);
    assert.ok(fine, say(`${name}=${value}`));
    if (name === 'action' && /^https?:/.test(value)) assert.ok(allowed.includes(new URL(value).origin), say(`a form to ${value}`));
    if (name === 'src') assert.ok(value.startsWith('/assets/'), say(`src ${value}`));
  }
  assert.ok(!/<(iframe|object|embed|base|svg|math|template|style)\b|http-equiv|\sstyle=/i.test(text), say('an element that no page has'));
  assert.ok(!new RegExp(`<[a-z/!][^>"]*${mark}`, 'i').test(stripAttributes(text)), say('the mark within a tag'));
  assert.ok(new URL(issuer));
}

// The tags of a page without the values of their attributes.
const stripAttributes = (html) => html.replace(/="[^"]*"/g, '=""');

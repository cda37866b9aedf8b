// A client that follows the FAPI 2.0 Security Profile: private_key_jwt, pushed requests, PKCE, DPoP. Each step can be
// done wrongly in one point.
import { randomBytes } from 'node:crypto';
import { pkce } from './identity.mjs';
import { addKeyClient, assertion, dpopProof, makeKey } from './relying_party.mjs';

export class Fapi2Client {
  static async make(id, name, { alg = 'ES256', args = [] } = {}) {
    const self = new Fapi2Client();
    self.id = id;
    self.client = addKeyClient(id, name, [await makeKey(alg)], ['--require-par', '--require-dpop', ...args]);
    self.key = await makeKey('ES256');  // of its DPoP proofs
    return self;
  }
  // A direct request. assert: false for no assertion, else changed claims; by: the signing key; proof: null for
  // none, a string as it is, or changed options of dpopProof(), with `key` for another one.
  async send(path, fields, { assert = {}, by, proof = {} } = {}) {
    const credentials = assert === false ? {} : await assertion(this.id, this.client, assert, by ? { key: by } : {});
    const headers = {};
    if (typeof proof === 'string') headers.dpop = proof;
    else if (proof) headers.dpop = await dpopProof(proof.key ?? this.key, 'POST', `${this.id.issuer}${path}`, proof);
    return this.id.post(path, this.client, { ...credentials, ...fields }, { headers });
  }
  // { status, body, verifier, state }
  async push(parameters = {}, how = { proof: null }) {
    const { verifier, challenge } = pkce();
    const state = randomBytes(8).toString('hex');
    const fields = {
      response_type: 'code', redirect_uri: this.client.redirect, scope: 'openid email offline_access', state,
      code_challenge: challenge, code_challenge_method: 'S256', ...parameters,
    };
    const answer = await this.send('/oauth2/par', fields, how);
    return { ...answer, verifier, state: fields.state };
  }
  url({ body }, more = {}) {
    return `/oauth2/authorize?${new URLSearchParams({ client_id: this.client.id, request_uri: body.request_uri, ...more })}`;
  }
  // From the pushed request through the pages to what comes back.
  async authorize(pushed, { browser = this.id.browser(), more, ...how } = {}) {
    const back = await this.id.complete(browser, await browser.get(this.url(pushed, more)), how);
    return { ...back, verifier: pushed.verifier, state: pushed.state };
  }
  exchange(back, how, fields = {}) {
    return this.send('/oauth2/token', {
      grant_type: 'authorization_code', code: back.parameters.code, redirect_uri: this.client.redirect, code_verifier: back.verifier, ...fields,
    }, how);
  }
  async tokens(parameters) {
    const { status, body } = await this.exchange(await this.authorize(await this.push(parameters)));
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }
  // Userinfo, the protected resource. Options as of dpopProof(); proof: a string instead.
  async resource(token, { method = 'GET', scheme = 'DPoP', proof, key = this.key, ...options } = {}) {
    const url = `${this.id.issuer}/oauth2/userinfo`;
    const dpop = proof ?? (await dpopProof(key, method, url, { accessToken: token, ...options }));
    return fetch(url, { method, headers: { authorization: `${scheme} ${token}`, dpop } });
  }
}

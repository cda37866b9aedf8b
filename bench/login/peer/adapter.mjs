// oidc-provider's storage in a Map: its own one keeps a thousand entries and would forget users under load.
const entries = new Map();
const byUid = new Map();
const byGrant = new Map();

setInterval(() => {
  const now = Date.now();
  for (const [key, entry] of entries) if (entry.ends <= now) entries.delete(key);
}, 10_000).unref();

export class MapAdapter {
  constructor(kind) {
    this.kind = kind;
  }
  key(id) {
    return `${this.kind}:${id}`;
  }
  async upsert(id, payload, expiresIn) {
    const key = this.key(id);
    entries.set(key, { payload, ends: expiresIn ? Date.now() + expiresIn * 1000 : Infinity });
    if (this.kind === 'Session') byUid.set(payload.uid, id);
    if (payload.grantId) {
      if (!byGrant.has(payload.grantId)) byGrant.set(payload.grantId, new Set());
      byGrant.get(payload.grantId).add(key);
    }
  }
  async find(id) {
    const entry = entries.get(this.key(id));
    return entry && entry.ends > Date.now() ? entry.payload : undefined;
  }
  async findByUid(uid) {
    return this.find(byUid.get(uid));
  }
  async findByUserCode() {
    return undefined;
  }
  async consume(id) {
    entries.get(this.key(id)).payload.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id) {
    entries.delete(this.key(id));
  }
  async revokeByGrantId(grantId) {
    for (const key of byGrant.get(grantId) ?? []) entries.delete(key);
    byGrant.delete(grantId);
  }
}

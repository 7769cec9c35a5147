import { createPublicKey, verify } from 'node:crypto'

const FETCH_SECONDS = 60 // Tokens with made-up keys cost one fetch in that time.
const STALE_SECONDS = 3600
const LEEWAY_SECONDS = 30
const WRONG_KEY = "is the secret key this app's, with the scope check?"

/** Why a token is not accepted. */
export class Refused extends Error {}

/** The token may be good, but Gatehouse can't be asked: answer 503 and not 401, or the game logs its player out. */
export class Unavailable extends Refused {}

/**
 * Checks access tokens without a call for each player. Call refresh() again after as many seconds as it returns.
 *
 * While Gatehouse can't be reached, keys and revocations of before count for another hour. By then every good token has ended,
 * and the class refuses all.
 */
export class Gatehouse {
  #server; #app; #secret; #tokenSeconds
  #keys = new Map(); #keysFrom = -Infinity; #tried = -Infinity; #fetch = null
  #revokedKeys = new Set(); #revocations = new Map(); #everyoneBefore = 0; #cursor; #listFrom = -Infinity

  constructor({ server, app, secret, tokenSeconds = 3600 }) {
    if (!server || !app || !secret) throw new TypeError('Gatehouse needs server, app and secret')
    this.#server = server
    this.#app = app
    this.#secret = secret
    this.#tokenSeconds = tokenSeconds
  }

  /** The claims of a good token: `sub` is the user id. Throws Refused for any other. */
  async check(token) {
    const { kid } = parsed(token).header
    const now = performance.now() / 1000
    if (!this.#keys.has(kid)) { // refresh() brings all other keys.
      if (now - this.#tried > FETCH_SECONDS) {
        this.#tried = now
        this.#fetch = this.#fetchKeys()
      }
      await this.#fetch // Whoever comes meanwhile with an unknown key waits for the same fetch.
    }
    if (performance.now() / 1000 - this.#keysFrom > STALE_SECONDS) throw new Unavailable('stale keys')
    const claims = this.#verified(token, 'at+jwt')
    const seconds = Date.now() / 1000
    if (!(claims.exp > seconds - LEEWAY_SECONDS)) throw new Refused('expired')
    if (typeof claims.sub !== 'string' || typeof claims.sid !== 'string') throw new Refused('a claim is missing')
    if (this.isRevoked(claims)) throw new Refused('revoked')
    return claims
  }

  /** Whether a token that was good has ended before its time, by the last list. For connections that outlive a request. */
  isRevoked(claims) {
    const entries = this.#revocations.get(claims.sub) ?? []
    return claims.iat < this.#everyoneBefore || this.#revokedKeys.has(claims.kid) ||
      entries.some((entry) => applies(entry, claims))
  }

  /** The seconds since the last complete list of revocations; Infinity before the first. */
  get listAge() {
    return performance.now() / 1000 - this.#listFrom
  }

  /** Asks Gatehouse itself, for what can't be undone. Returns what `tokens/check` answers. */
  async ask(token, seconds = 2) {
    const path = `/v1/server/apps/${this.#app}/tokens/check`
    let answer
    try {
      const signal = AbortSignal.timeout(seconds * 1000)
      answer = await this.#send(path, { ...this.#post({ accessToken: token }), signal })
      if (answer.status === 200) return await answer.json()
    } catch {
      throw new Unavailable('Gatehouse does not answer')
    }
    const { error } = await answer.json().catch(() => ({}))
    if (error?.code === 3011) throw new Refused(error.details?.reason ?? 'refused')
    throw new Unavailable(`${path} answers ${answer.status}`)
  }

  /** Fetches what has ended since the last time, and returns in how many seconds to come back. */
  async refresh() {
    const page = await this.#json(
      `/v1/server/apps/${this.#app}/revocations`, this.#post(this.#cursor ? { cursor: this.#cursor } : {}))
    this.#take(page.jwks)
    const claims = this.#verified(page.revocations, 'revocations+jwt')
    for (const key of claims.revokedKeys) this.#revokedKeys.add(key)
    for (const entry of claims.revocations) {
      const entries = this.#revocations.get(entry.sub) ?? []
      if (!entries.some((known) => JSON.stringify(known) === JSON.stringify(entry))) entries.push(entry)
      this.#revocations.set(entry.sub, entries)
    }
    this.#everyoneBefore = Math.max(this.#everyoneBefore, claims.everyoneBefore ?? 0)
    this.#cursor = page.cursor
    // Tokens of before have ended by themselves.
    const oldest = claims.iat - this.#tokenSeconds - 60
    for (const [user, entries] of this.#revocations) {
      const kept = entries.filter((entry) => entry.revokedAt >= oldest)
      if (kept.length > 0) this.#revocations.set(user, kept)
      else this.#revocations.delete(user)
    }
    if (page.nextSeconds > 0) this.#listFrom = performance.now() / 1000
    return page.nextSeconds
  }

  async #fetchKeys() {
    try {
      this.#take(await this.#json(`/v1/apps/${this.#app}/jwks.json`))
    } catch {
      // The keys of before have to do.
    }
  }

  #post(body) {
    const headers = { 'X-Secret-Key': this.#secret, 'Content-Type': 'application/json' }
    return { method: 'POST', headers, body: JSON.stringify(body) }
  }

  #send(path, options = {}) {
    return fetch(this.#server + path, { redirect: 'error', signal: AbortSignal.timeout(10_000), ...options })
  }

  async #json(path, options) {
    const answer = await this.#send(path, options)
    if (answer.status === 401 || answer.status === 403) throw new Error(`${path} answers ${answer.status}: ${WRONG_KEY}`)
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}`)
    return answer.json()
  }

  #take(jwks) {
    this.#keys = new Map(jwks.keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]))
    this.#keysFrom = performance.now() / 1000
  }

  #verified(token, kind) {
    const { header, claims, signed, signature } = parsed(token)
    if (header.alg !== 'ES256' || header.typ !== kind || 'crit' in header) throw new Refused('another kind of token')
    const key = this.#keys.get(header.kid)
    if (!key || this.#revokedKeys.has(header.kid)) throw new Refused('unknown key')
    if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)) throw new Refused('forged')
    if (claims.aud !== this.#app) throw new Refused('for another app')
    if (!(claims.iat < Date.now() / 1000 + LEEWAY_SECONDS)) throw new Refused('of the future')
    return { ...claims, kid: header.kid }
  }
}

function parsed(token) {
  try {
    const [header, claims, signature, ...rest] = token.split('.')
    const json = [header, claims].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    if (rest.length > 0 || json.some((value) => value === null || typeof value !== 'object')) throw new Refused()
    return {
      header: json[0], claims: json[1], signed: Buffer.from(`${header}.${claims}`),
      signature: Buffer.from(signature, 'base64url'),
    }
  } catch {
    throw new Refused('no token')
  }
}

/** Whether all that the entry gives is true of the token. */
function applies(entry, claims) {
  if (entry.sid !== undefined && entry.sid !== claims.sid) return false
  if (entry.idp !== undefined && (entry.idp !== claims.idp || claims.iat >= entry.revokedAt)) return false
  return entry.gen === undefined || (claims.gen ?? 0) < entry.gen
}

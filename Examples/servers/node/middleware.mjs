import { Refused, Unavailable } from './gatehouse.mjs'

const LONGEST_PAUSE_SECONDS = 30
const LEEWAY_SECONDS = 30

/** The codes with which a WebSocket is closed: the game gets a fresh token for the first, and asks the SDK why for the second. */
export const EXPIRED = 4401
export const REVOKED = 4403
export const TRY_LATER = 1013

/**
 * Lets requests and connections of players in, and ends connections whose player is banned, kicked out or gone.
 *
 * Failure policy: while Gatehouse can't be reached, players are accepted by the last list of revocations until that list is
 * `maxListSeconds` old. Then requests get 503 and connections are closed with 1013. A shorter time means that a ban is never
 * missed for longer than that; a longer one means that players go on playing through a longer outage. An hour is the most that
 * has a meaning, because no access token lives longer. Requests that ask Gatehouse get 503 after `askSeconds`: see Questions.
 */
export class GatehouseMiddleware {
  #gatehouse; #maxListSeconds; #log; #questions; #connections = new Set(); #failures = 0; #said; #refreshTimer; #sweepTimer

  constructor(gatehouse, { maxListSeconds = 3600, askSeconds = 2, mostAsks = 8, log = console.error } = {}) {
    this.#gatehouse = gatehouse
    this.#questions = new Questions(gatehouse, askSeconds, mostAsks)
    this.#maxListSeconds = maxListSeconds
    this.#log = log
  }

  /** Keeps the list of revocations fresh. Call it once in each process, after the fork. */
  async start() {
    this.#sweepTimer = setInterval(() => this.#sweep(), 1000)
    await this.#refresh()
  }

  stop() {
    clearTimeout(this.#refreshTimer)
    clearInterval(this.#sweepTimer)
  }

  /**
   * A middleware of Express or Connect, or called by hand: the player's claims become `request.player`.
   * With `{ ask: true }` Gatehouse itself is asked, for what can't be undone: a purchase, a trade, a deletion.
   */
  requirePlayer({ ask = false } = {}) {
    return async (request, response, next) => {
      try {
        request.player = await this.#player(bearer(request), ask)
      } catch (error) {
        return answer(response, error)
      }
      next()
    }
  }

  /**
   * Watches a connection that outlives the request. `close(code, reason)` is called once, when the player must go.
   * Returns the connection: call `renew(token)` with each fresh token that the game sends, and `end()` when it has gone.
   */
  async connect(token, close) {
    const connection = { player: await this.#player(token, false), close }
    connection.renew = async (fresh) => {
      const player = await this.#player(fresh, false)
      if (player.sub !== connection.player.sub) throw new Refused('of another player')
      connection.player = player
    }
    connection.end = () => this.#connections.delete(connection)
    this.#connections.add(connection)
    return connection
  }

  async #player(token, ask) {
    if (!token) throw new Refused('no token')
    if (this.#gatehouse.listAge > this.#maxListSeconds) throw new Unavailable('no recent list of revocations')
    const claims = await this.#gatehouse.check(token)
    if (ask) await this.#questions.ask(token)
    return claims
  }

  async #refresh() {
    let pause
    try {
      pause = await this.#gatehouse.refresh()
      this.#failures = 0
      this.#said = undefined
    } catch (error) {
      if (this.#said !== error.message) this.#log(`Gatehouse can't be asked for revocations: ${error.message}`)
      this.#said = error.message
      pause = Math.min(2 ** this.#failures++, LONGEST_PAUSE_SECONDS)
    }
    this.#sweep()
    this.#refreshTimer = setTimeout(() => this.#refresh(), pause * 1000)
  }

  #sweep() {
    const isOld = this.#gatehouse.listAge > this.#maxListSeconds
    const now = Date.now() / 1000
    for (const connection of this.#connections) {
      const { player, close } = connection
      if (this.#gatehouse.isRevoked(player)) end(close, REVOKED, 'revoked')
      else if (player.exp <= now - LEEWAY_SECONDS) end(close, EXPIRED, 'expired')
      else if (isOld) end(close, TRY_LATER, 'Gatehouse is out of reach')
      else continue
      this.#connections.delete(connection)
    }
  }
}

const FAILURES = 3
const PAUSE_MILLISECONDS = 5000

/**
 * Bounds what asking Gatehouse may cost while it hangs: each question takes `seconds`, at most `most` are under way, and after three
 * failures in a row only one question every five seconds tries again (a circuit breaker).
 */
class Questions {
  #gatehouse; #seconds; #most; #underWay = 0; #failures = 0; #retryFrom = 0

  constructor(gatehouse, seconds, most) {
    this.#gatehouse = gatehouse
    this.#seconds = seconds
    this.#most = most
  }

  async ask(token) {
    if (this.#underWay >= this.#most) throw new Unavailable('too many requests wait for Gatehouse')
    if (this.#failures >= FAILURES) {
      if (performance.now() < this.#retryFrom) throw new Unavailable('Gatehouse has not answered lately')
      this.#retryFrom = performance.now() + PAUSE_MILLISECONDS
    }
    this.#underWay++
    try {
      await this.#gatehouse.ask(token, this.#seconds)
      this.#failures = 0
    } catch (error) {
      if (error instanceof Unavailable) {
        this.#failures++
        this.#retryFrom = performance.now() + PAUSE_MILLISECONDS
      } else {
        this.#failures = 0
      }
      throw error
    } finally {
      this.#underWay--
    }
  }
}

/** A connection that can't be closed must not keep the others open. */
function end(close, code, reason) {
  try {
    close(code, reason)
  } catch {
    // It is gone already.
  }
}

/** The token of `Authorization: Bearer TOKEN`. It never stands in a URL, because URLs are logged. */
export function bearer(request) {
  return /^Bearer ([^ ]+)$/.exec(request.headers.authorization ?? '')?.[1]
}

function answer(response, error) {
  if (!(error instanceof Refused)) throw error
  const isAway = error instanceof Unavailable
  const headers = isAway ? { 'Retry-After': '5' } : { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  response.writeHead(isAway ? 503 : 401, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify({ error: error.message }))
}

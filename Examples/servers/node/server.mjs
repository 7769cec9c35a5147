// A game's server: who am I, a purchase that asks Gatehouse, and a WebSocket that lives longer than a token.
import { createServer } from 'node:http'
import { Gatehouse, Refused, Unavailable } from './gatehouse.mjs'
import { GatehouseMiddleware, bearer } from './middleware.mjs'
import { accept } from './websocket.mjs'

const { GATEHOUSE_SERVER, GATEHOUSE_APP: app, GATEHOUSE_SECRET: secret, MAX_LIST_SECONDS, ASK_SECONDS, PORT } = process.env
const players = new GatehouseMiddleware(
  new Gatehouse({ server: GATEHOUSE_SERVER, app, secret }),
  { maxListSeconds: Number(MAX_LIST_SECONDS ?? 3600), askSeconds: Number(ASK_SECONDS ?? 2) })
const routes = { 'GET /me': players.requirePlayer(), 'POST /purchase': players.requirePlayer({ ask: true }) }

const server = createServer((request, response) => {
  const route = routes[`${request.method} ${request.url}`]
  if (!route) return response.writeHead(404).end()
  route(request, response, () => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ user: request.player.sub }))
  })
})

server.on('upgrade', async (request, socket) => {
  let connection, webSocket
  socket.on('error', () => socket.destroy())
  try {
    connection = await players.connect(bearer(request), (code, reason) => webSocket?.close(code, reason))
  } catch (error) {
    const status = error instanceof Unavailable ? '503 Service Unavailable' : '401 Unauthorized'
    return socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }
  webSocket = accept(request, socket, {
    onMessage: async (text) => {
      if (!text.startsWith('token ')) return webSocket.send(`echo ${text}`)
      try {
        await connection.renew(text.slice('token '.length))
        webSocket.send('renewed')
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        webSocket.send(`refused ${error.message}`)
      }
    },
    onClose: () => connection.end(),
  })
  webSocket.send(`hello ${connection.player.sub}`)
})

await players.start()
server.listen(Number(PORT ?? 9000), '127.0.0.1', () => console.log(`listening ${server.address().port}`))

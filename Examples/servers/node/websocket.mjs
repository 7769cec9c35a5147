import { createHash } from 'node:crypto'

const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10]

/**
 * As much of RFC 6455 as this example needs: unfragmented text messages of less than 64 KB, and pings. Your server takes the package
 * `ws` instead, whose sockets have the same `send(text)` and `close(code, reason)`.
 */
export function accept(request, socket, { onMessage, onClose }) {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${key.digest('base64')}\r\n\r\n`)
  let buffer = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    buffer = Buffer.concat([buffer, bytes])
    for (let frame; (frame = read(buffer)); buffer = buffer.subarray(frame.length)) {
      if (frame.kind === TEXT) onMessage(frame.payload.toString())
      else if (frame.kind === PING) socket.write(write(PONG, frame.payload))
      else if (frame.kind !== PONG) return socket.end()
    }
  })
  if (socket.destroyed) onClose()
  else socket.on('close', onClose)
  return {
    send: (text) => socket.write(write(TEXT, Buffer.from(text))),
    close: (code, reason) => socket.end(write(CLOSE, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]))),
  }
}

/** A frame of less than 64 KB. */
function write(kind, payload) {
  const head = payload.length < 126 ? [128 | kind, payload.length] : [128 | kind, 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from(head), payload])
}

/** The frame at the beginning, or undefined where more bytes must come first. Any other than the above counts as the end. */
function read(buffer) {
  if (buffer.length < 2) return undefined
  const [kind, size] = [buffer[0] & 15, buffer[1] & 127]
  if (buffer[0] < 128 || buffer[1] < 128 || size === 127) return { kind: CLOSE, length: buffer.length }
  const start = size === 126 ? 8 : 6
  if (buffer.length < start) return undefined
  const length = start + (size === 126 ? buffer.readUInt16BE(2) : size)
  if (buffer.length < length) return undefined
  const mask = buffer.subarray(start - 4, start)
  return { kind, length, payload: buffer.subarray(start, length).map((byte, index) => byte ^ mask[index % 4]) }
}

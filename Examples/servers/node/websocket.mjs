import { createHash } from 'node:crypto'

/**
 * As much of RFC 6455 as this example needs: unfragmented text messages of less than 64 KB. Your server takes the package `ws`
 * instead, whose sockets have the same `send(text)` and `close(code, reason)`.
 */
export function accept(request, socket, { onMessage, onClose }) {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${key.digest('base64')}\r\n\r\n`)
  let buffer = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    buffer = Buffer.concat([buffer, bytes])
    for (let frame; (frame = read(buffer)); buffer = buffer.subarray(frame.length)) {
      if (frame.kind === 1) onMessage(frame.text)
      else return socket.end()
    }
  })
  if (socket.destroyed) onClose()
  else socket.on('close', onClose)
  return {
    send: (text) => socket.write(frame(1, Buffer.from(text))),
    close: (code, reason) => socket.end(frame(8, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]))),
  }
}

function frame(kind, payload) {
  const head = payload.length < 126 ? [128 | kind, payload.length] : [128 | kind, 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from(head), payload])
}

/** The frame at the beginning, or undefined where more bytes must come first. What is not a text message counts as the end. */
function read(buffer) {
  if (buffer.length < 2) return undefined
  const isLong = (buffer[1] & 127) === 126
  if (buffer[0] !== 129 || buffer[1] < 128 || (buffer[1] & 127) === 127) return { kind: 8, length: buffer.length }
  const start = isLong ? 8 : 6
  if (buffer.length < start) return undefined
  const length = start + (isLong ? buffer.readUInt16BE(2) : buffer[1] & 127)
  if (buffer.length < length) return undefined
  const mask = buffer.subarray(start - 4, start)
  const text = buffer.subarray(start, length).map((byte, index) => byte ^ mask[index % 4])
  return { kind: 1, length, text: Buffer.from(text).toString() }
}

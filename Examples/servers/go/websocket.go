package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const text, closing, ping, pong byte = 1, 8, 9, 10

// webSocket is as much of RFC 6455 as this example needs: unfragmented text messages of less than 64 KB, and pings. Your server
// takes a package instead, such as gorilla/websocket or coder/websocket.
type webSocket struct {
	connection net.Conn
	reader     *bufio.Reader
	mutex      sync.Mutex
}

func acceptWebSocket(response http.ResponseWriter, request *http.Request) (*webSocket, error) {
	hijacker, ok := response.(http.Hijacker)
	if !ok || request.Header.Get("Sec-WebSocket-Key") == "" {
		return nil, errors.New("no WebSocket")
	}
	digest := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	connection, buffered, err := hijacker.Hijack()
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(digest[:])+"\r\n\r\n")
	return &webSocket{connection: connection, reader: buffered.Reader}, err
}

func (w *webSocket) send(message string) error { return w.write(text, []byte(message)) }

func (w *webSocket) close(code int, reason string) {
	_ = w.write(closing, append([]byte{byte(code >> 8), byte(code)}, reason...))
	_ = w.connection.Close()
}

func (w *webSocket) write(kind byte, payload []byte) error {
	head := []byte{128 | kind, byte(len(payload))}
	if len(payload) > 125 {
		head = []byte{128 | kind, 126, byte(len(payload) >> 8), byte(len(payload))}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_ = w.connection.SetWriteDeadline(time.Now().Add(10 * time.Second))
	_, err := w.connection.Write(append(head, payload...))
	return err
}

// receive waits for the next text message, and answers pings. Whatever else comes counts as the end.
func (w *webSocket) receive() (string, error) {
	for {
		kind, payload, err := w.read()
		switch {
		case err != nil:
			return "", err
		case kind == text:
			return string(payload), nil
		case kind == ping:
			err = w.write(pong, payload)
		case kind != pong:
			err = io.EOF
		}
		if err != nil {
			return "", err
		}
	}
}

func (w *webSocket) read() (kind byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(w.reader, head); err != nil {
		return 0, nil, err
	}
	length := int(head[1] & 127)
	if head[0] < 128 || head[1] < 128 || length == 127 {
		return 0, nil, io.EOF
	}
	if length == 126 {
		long := make([]byte, 2)
		if _, err := io.ReadFull(w.reader, long); err != nil {
			return 0, nil, err
		}
		length = int(binary.BigEndian.Uint16(long))
	}
	bytes := make([]byte, 4+length)
	if _, err := io.ReadFull(w.reader, bytes); err != nil {
		return 0, nil, err
	}
	for index := range bytes[4:] {
		bytes[4+index] ^= bytes[index%4]
	}
	return head[0] & 15, bytes[4:], nil
}

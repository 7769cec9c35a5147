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

// webSocket is as much of RFC 6455 as this example needs: unfragmented text messages of less than 64 KB. Your server takes a
// package instead, such as gorilla/websocket or coder/websocket.
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

func (w *webSocket) send(text string) error { return w.write(1, []byte(text)) }

func (w *webSocket) close(code int, reason string) {
	_ = w.write(8, append([]byte{byte(code >> 8), byte(code)}, reason...))
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

// receive waits for the next text message. Whatever is none counts as the end.
func (w *webSocket) receive() (string, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(w.reader, head); err != nil {
		return "", err
	}
	length := int(head[1] & 127)
	if head[0] != 129 || head[1] < 128 || length == 127 {
		return "", io.EOF
	}
	if length == 126 {
		long := make([]byte, 2)
		if _, err := io.ReadFull(w.reader, long); err != nil {
			return "", err
		}
		length = int(binary.BigEndian.Uint16(long))
	}
	bytes := make([]byte, 4+length)
	if _, err := io.ReadFull(w.reader, bytes); err != nil {
		return "", err
	}
	for index := range bytes[4:] {
		bytes[4+index] ^= bytes[index%4]
	}
	return string(bytes[4:]), nil
}

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * As much of RFC 6455 as this example needs: unfragmented text messages of less than 64 KB, and pings. Your server takes Jakarta
 * WebSocket, Netty or Jetty instead.
 */
final class WebSocket {
    private static final int TEXT = 1, CLOSE = 8, PING = 9, PONG = 10;

    private final Socket socket;
    private final DataInputStream input;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    /** Reads the request's head. */
    WebSocket(Socket socket) throws IOException {
        this.socket = socket;
        input = new DataInputStream(socket.getInputStream());
        socket.setSoTimeout(10_000);
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            if (head.length() > 16_384) throw new IOException("the head is too long");
            head.append((char) input.readUnsignedByte());
        }
        for (String line : head.toString().split("\r\n")) {
            int colon = line.indexOf(':');
            if (colon > 0) headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
    }

    String header(String name) {
        return headers.get(name);
    }

    void refuse(String status) throws IOException {
        write(("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.close();
    }

    void accept() throws IOException, GeneralSecurityException {
        String key = header("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.US_ASCII));
        write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + Base64.getEncoder().encodeToString(digest) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.setSoTimeout(0);
    }

    /** The next text message, or null at the end. Pings are answered, and whatever else comes counts as the end. */
    String receive() throws IOException {
        while (true) {
            int kind = input.read() - 128;
            int length = input.read() - 128;
            if (kind < 0 || length < 0 || length == 127) return null;
            if (length == 126) length = input.readUnsignedShort();
            byte[] mask = input.readNBytes(4);
            byte[] payload = input.readNBytes(length);
            for (int index = 0; index < payload.length; index++) payload[index] ^= mask[index % 4];
            if (kind == TEXT) return new String(payload, StandardCharsets.UTF_8);
            if (kind == PING) write(frame(PONG, payload));
            else if (kind != PONG) return null;
        }
    }

    void send(String text) throws IOException {
        write(frame(TEXT, text.getBytes(StandardCharsets.UTF_8)));
    }

    void close(int code, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        byte[] payload = new byte[text.length + 2];
        payload[0] = (byte) (code >> 8);
        payload[1] = (byte) code;
        System.arraycopy(text, 0, payload, 2, text.length);
        try (socket) {
            write(frame(CLOSE, payload));
        } catch (IOException error) {
            // It is gone already.
        }
    }

    private static byte[] frame(int kind, byte[] payload) {
        int head = payload.length < 126 ? 2 : 4;
        byte[] frame = new byte[head + payload.length];
        frame[0] = (byte) (128 | kind);
        frame[1] = (byte) (head == 2 ? payload.length : 126);
        if (head == 4) {
            frame[2] = (byte) (payload.length >> 8);
            frame[3] = (byte) payload.length;
        }
        System.arraycopy(payload, 0, frame, head, payload.length);
        return frame;
    }

    private synchronized void write(byte[] bytes) throws IOException {
        OutputStream output = socket.getOutputStream();
        output.write(bytes);
        output.flush();
    }
}

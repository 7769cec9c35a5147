import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * A game's server: who am I, a purchase that asks Gatehouse, and a WebSocket that lives longer than a token. The WebSocket has a port of
 * its own, because the JDK's HTTP server knows none.
 */
public final class GameServer {
    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = System.getenv();
        Gatehouse gatehouse = new Gatehouse(
            settings.get("GATEHOUSE_SERVER"), settings.get("GATEHOUSE_APP"), settings.get("GATEHOUSE_SECRET"), 3_600);
        GatehouseMiddleware players = new GatehouseMiddleware(
            gatehouse, Long.parseLong(settings.getOrDefault("MAX_LIST_SECONDS", "3600")), "/purchase"::equals,
            Duration.ofSeconds(Long.parseLong(settings.getOrDefault("ASK_SECONDS", "2"))), 8);
        players.start();

        InetAddress here = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(here, Integer.parseInt(settings.getOrDefault("PORT", "0"))), 0);
        server.setExecutor(Executors.newFixedThreadPool(16));
        HttpHandler me = exchange -> {
            Map<?, ?> player = (Map<?, ?>) exchange.getAttribute("player");
            GatehouseMiddleware.answer(exchange, 200, "{\"user\": \"" + player.get("sub") + "\"}");
        };
        for (String path : List.of("/me", "/purchase")) server.createContext(path, me).getFilters().add(players);
        server.start();
        try (ServerSocket webSockets = new ServerSocket(0, 50, here)) {
            System.out.println("listening " + server.getAddress().getPort() + " " + webSockets.getLocalPort());
            while (true) {
                Socket socket = webSockets.accept();
                new Thread(() -> play(socket, players)).start();
            }
        }
    }

    private static void play(Socket socket, GatehouseMiddleware players) {
        GatehouseMiddleware.Connection connection = null;
        try (socket) {
            WebSocket webSocket = new WebSocket(socket);
            try {
                String token = GatehouseMiddleware.bearer(webSocket.header("Authorization"));
                connection = players.connect(token, webSocket::close);
            } catch (Gatehouse.Refused refusal) {
                webSocket.refuse(refusal instanceof Gatehouse.Unavailable ? "503 Service Unavailable" : "401 Unauthorized");
                return;
            }
            webSocket.accept();
            webSocket.send("hello " + connection.user());
            for (String text = webSocket.receive(); text != null; text = webSocket.receive()) {
                webSocket.send(text.startsWith("token ") ? renewed(connection, text.substring("token ".length())) : "echo " + text);
            }
        } catch (IOException | GeneralSecurityException error) {
            // The player is gone.
        } finally {
            if (connection != null) connection.end();
        }
    }

    private static String renewed(GatehouseMiddleware.Connection connection, String token) {
        try {
            connection.renew(token);
            return "renewed";
        } catch (Gatehouse.Refused refusal) {
            return "refused " + refusal.getMessage();
        }
    }
}

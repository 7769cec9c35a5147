import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Lets requests and connections of players in, and ends connections whose player is banned, kicked out or gone. It is a filter of the
 * JDK's own HTTP server; a filter of servlets or Spring calls player() and connect() in the same way.
 *
 * <p>Failure policy: while Gatehouse can't be reached, players are accepted by the last list of revocations until that list is
 * maxListSeconds old. Then requests get 503 and connections are closed with 1013. A shorter time means that a ban is never missed for
 * longer than that; a longer one means that players go on playing through a longer outage. An hour is the most that has a meaning,
 * because no access token lives longer. Requests that ask Gatehouse get 503 after askTime: see Questions.
 */
public final class GatehouseMiddleware extends Filter {
    /** The codes with which a WebSocket is closed: the game gets a fresh token for the first, and asks the SDK why for the second. */
    public static final int EXPIRED = 4401;
    public static final int REVOKED = 4403;
    public static final int TRY_LATER = 1013;

    private static final long LEEWAY_SECONDS = 30;
    private static final long LONGEST_PAUSE_SECONDS = 30;

    private final Gatehouse gatehouse;
    private final long maxListSeconds;
    private final Predicate<String> askFor;
    private final Questions questions;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, task -> {
        Thread thread = new Thread(task, "gatehouse");
        thread.setDaemon(true);
        return thread;
    });
    private int failures = 0;
    private String said;

    /**
     * @param askFor the whole paths for which Gatehouse itself is asked, because what they do can't be undone
     * @param askTime how long one of them waits for Gatehouse: 2 seconds, for example
     * @param mostAsks how many of them wait at a time: at most half of the server's threads, so that the others are not held up
     */
    public GatehouseMiddleware(
        Gatehouse gatehouse, long maxListSeconds, Predicate<String> askFor, Duration askTime, int mostAsks
    ) {
        this.questions = new Questions(gatehouse, askTime, mostAsks);
        this.gatehouse = gatehouse;
        this.maxListSeconds = maxListSeconds;
        this.askFor = askFor;
    }

    /** Keeps the list of revocations fresh. Call it once in each process. */
    public void start() {
        timer.scheduleWithFixedDelay(this::sweep, 1, 1, TimeUnit.SECONDS);
        timer.execute(this::refresh);
    }

    @Override
    public String description() {
        return "lets players in";
    }

    /** The claims of the request's player are its attribute "player". */
    @Override
    public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
        try {
            String token = bearer(exchange.getRequestHeaders().getFirst("Authorization"));
            exchange.setAttribute("player", player(token, askFor.test(exchange.getRequestURI().getPath())));
        } catch (Gatehouse.Refused refusal) {
            refuse(exchange, refusal);
            return;
        }
        chain.doFilter(exchange);
    }

    /** The claims of a good token; where ask is true, Gatehouse itself is asked. */
    public Map<String, Object> player(String token, boolean ask) throws Gatehouse.Refused {
        if (token == null) throw new Gatehouse.Refused("no token");
        if (gatehouse.listAge() > maxListSeconds) throw new Gatehouse.Unavailable("no recent list of revocations");
        Map<String, Object> claims = gatehouse.check(token);
        if (ask) questions.ask(token);
        return claims;
    }

    /**
     * Bounds what asking Gatehouse may cost while it hangs: how long a question takes, how many are under way, and after three failures
     * in a row only one question every five seconds tries again (a circuit breaker).
     */
    private static final class Questions {
        private static final int FAILURES = 3;
        private static final long PAUSE_NANOSECONDS = TimeUnit.SECONDS.toNanos(5);

        private final Gatehouse gatehouse;
        private final Duration time;
        private final int most;
        private int underWay = 0;
        private int failures = 0;
        private long retryFrom = 0;

        Questions(Gatehouse gatehouse, Duration time, int most) {
            this.gatehouse = gatehouse;
            this.time = time;
            this.most = most;
        }

        void ask(String token) throws Gatehouse.Refused {
            begin();
            boolean answered = false;
            try {
                gatehouse.ask(token, time);
                answered = true;
            } catch (Gatehouse.Refused refusal) {
                answered = !(refusal instanceof Gatehouse.Unavailable);
                throw refusal;
            } finally {
                end(answered);
            }
        }

        private synchronized void begin() throws Gatehouse.Unavailable {
            if (underWay >= most) throw new Gatehouse.Unavailable("too many requests wait for Gatehouse");
            if (failures >= FAILURES) {
                if (System.nanoTime() - retryFrom < 0) throw new Gatehouse.Unavailable("Gatehouse has not answered lately");
                retryFrom = System.nanoTime() + PAUSE_NANOSECONDS;
            }
            underWay++;
        }

        private synchronized void end(boolean answered) {
            underWay--;
            failures = answered ? 0 : failures + 1;
            if (!answered) retryFrom = System.nanoTime() + PAUSE_NANOSECONDS;
        }
    }

    /** A connection that outlives its first token. Call end() when it has gone. */
    public final class Connection {
        private final BiConsumer<Integer, String> close;
        private volatile Map<String, Object> player;

        private Connection(Map<String, Object> player, BiConsumer<Integer, String> close) {
            this.player = player;
            this.close = close;
        }

        public String user() {
            return (String) player.get("sub");
        }

        /** Takes a fresh token of the same player. */
        public void renew(String token) throws Gatehouse.Refused {
            Map<String, Object> fresh = player(token, false);
            if (!fresh.get("sub").equals(user())) throw new Gatehouse.Refused("of another player");
            player = fresh;
        }

        public void end() {
            connections.remove(this);
        }

        private Map<String, Object> player(String token, boolean ask) throws Gatehouse.Refused {
            return GatehouseMiddleware.this.player(token, ask);
        }
    }

    /** Watches a connection. Calls close with a code and a reason once, in another thread, when the player must go. */
    public Connection connect(String token, BiConsumer<Integer, String> close) throws Gatehouse.Refused {
        Connection connection = new Connection(player(token, false), close);
        connections.add(connection);
        return connection;
    }

    private void refresh() {
        long pause;
        try {
            pause = gatehouse.refresh();
            failures = 0;
            said = null;
        } catch (IOException | GeneralSecurityException | Gatehouse.Refused | RuntimeException error) {
            if (!error.toString().equals(said)) System.err.println("Gatehouse can't be asked for revocations: " + error);
            said = error.toString();
            pause = Math.min(1L << Math.min(failures++, 10), LONGEST_PAUSE_SECONDS);
        }
        sweep();
        timer.schedule(this::refresh, pause, TimeUnit.SECONDS);
    }

    private void sweep() {
        boolean isOld = gatehouse.listAge() > maxListSeconds;
        long now = System.currentTimeMillis() / 1_000;
        for (Connection connection : connections) {
            if (gatehouse.isRevoked(connection.player)) {
                end(connection, REVOKED, "revoked");
            } else if (((Number) connection.player.get("exp")).longValue() <= now - LEEWAY_SECONDS) {
                end(connection, EXPIRED, "expired");
            } else if (isOld) {
                end(connection, TRY_LATER, "Gatehouse is out of reach");
            }
        }
    }

    /** A connection that can't be closed must not keep the others open. */
    private void end(Connection connection, int code, String reason) {
        if (!connections.remove(connection)) return;
        try {
            connection.close.accept(code, reason);
        } catch (RuntimeException error) {
            System.err.println("a connection can't be closed: " + error);
        }
    }

    /** The token of "Authorization: Bearer TOKEN", or null. It never stands in a URL, because URLs are logged. */
    public static String bearer(String header) {
        return header != null && header.startsWith("Bearer ") ? header.substring("Bearer ".length()) : null;
    }

    private static void refuse(HttpExchange exchange, Gatehouse.Refused refusal) throws IOException {
        boolean isAway = refusal instanceof Gatehouse.Unavailable;
        if (isAway) exchange.getResponseHeaders().set("Retry-After", "5");
        else exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer error=\"invalid_token\"");
        answer(exchange, isAway ? 503 : 401, "{\"error\": \"" + refusal.getMessage() + "\"}");
    }

    static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}

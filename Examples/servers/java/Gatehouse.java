import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Checks access tokens without a call for each player. Call refresh() again after as many seconds as it returns.
 *
 * <p>While Gatehouse can't be reached, keys and revocations of before count for another hour. By then every good token has ended,
 * and the class refuses all.
 *
 * <p>Needs Java 17 and nothing else. A project that has a JSON library puts it in the place of the class Json.
 */
public final class Gatehouse {
    private static final long FETCH_SECONDS = 60; // Tokens with made-up keys cost one fetch in that time.
    private static final long STALE_SECONDS = 3_600;
    private static final long LEEWAY_SECONDS = 30;
    private static final String WRONG_KEY = "is the secret key this app's, with the scope check?";

    /** Why a token is not accepted. */
    public static class Refused extends Exception {
        Refused(String reason) {
            super(reason);
        }
    }

    /** The token may be good, but Gatehouse can't be asked: answer 503 and not 401, or the game logs its player out. */
    public static final class Unavailable extends Refused {
        Unavailable(String reason) {
            super(reason);
        }
    }

    private final HttpClient http = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();
    private final String server;
    private final String app;
    private final String secret;
    private final long tokenSeconds;
    private Map<String, PublicKey> keys = Map.of();
    private long keysFrom = now() - STALE_SECONDS - 1;
    private long tried = now() - FETCH_SECONDS - 1;
    private Long listFrom;
    private final Set<String> revokedKeys = new HashSet<>();
    private final Map<String, List<Map<String, Object>>> revocations = new HashMap<>();
    private long everyoneBefore = 0;
    private String cursor;

    /** @param tokenSeconds how long an access token lives: 3600, unless the server says otherwise */
    public Gatehouse(String server, String app, String secret, long tokenSeconds) {
        this.server = server;
        this.app = app;
        this.secret = secret;
        this.tokenSeconds = tokenSeconds;
    }

    /** The claims of a good token: "sub" is the user id. */
    public Map<String, Object> check(String text) throws Refused {
        Token token = Token.parse(text);
        if (wantsKeys(token)) {
            try {
                take(json(HttpRequest.newBuilder(uri("/v1/apps/" + app + "/jwks.json"))));
            } catch (IOException | GeneralSecurityException | RuntimeException error) {
                // The keys of before have to do.
            }
        }
        return checked(token);
    }

    private synchronized boolean wantsKeys(Token token) {
        // refresh() brings all other keys.
        if (keys.containsKey(token.kid()) || now() - tried <= FETCH_SECONDS) return false;
        tried = now();
        return true;
    }

    private synchronized Map<String, Object> checked(Token token) throws Refused {
        if (now() - keysFrom > STALE_SECONDS) throw new Unavailable("stale keys");
        Map<String, Object> claims = verified(token, "at+jwt");
        if (number(claims, "exp") <= seconds() - LEEWAY_SECONDS) throw new Refused("expired");
        if (!(claims.get("sub") instanceof String) || !(claims.get("sid") instanceof String)) {
            throw new Refused("a claim is missing");
        }
        if (isRevoked(claims)) throw new Refused("revoked");
        return claims;
    }

    /** Whether a good token has ended before its time, by the last list. For connections that outlive a request. */
    public synchronized boolean isRevoked(Map<String, Object> claims) {
        if (number(claims, "iat") < everyoneBefore || revokedKeys.contains(claims.get("kid"))) return true;
        return revocations.getOrDefault(claims.get("sub"), List.of()).stream().anyMatch(entry -> applies(entry, claims));
    }

    /** The seconds since the last complete list of revocations; as good as infinite before the first. */
    public synchronized long listAge() {
        return listFrom == null ? Long.MAX_VALUE : now() - listFrom;
    }

    /** Asks Gatehouse itself whether a token is good, for what can't be undone. */
    public void ask(String text, Duration timeout) throws Refused {
        try {
            HttpResponse<String> answer =
                send(post("tokens/check", "{\"accessToken\":\"" + Token.parse(text).text() + "\"}"), timeout);
            if (answer.statusCode() == 200) return;
            Map<String, Object> error = Json.object(Json.object(Json.parse(answer.body())).get("error"));
            if (number(error, "code") == 3011) throw new Refused(String.valueOf(Json.object(error.get("details")).get("reason")));
            throw new Unavailable("tokens/check answers " + answer.statusCode());
        } catch (IOException | RuntimeException error) {
            throw new Unavailable("Gatehouse does not answer");
        }
    }

    /** Whether all that the entry gives is true of the token. */
    private static boolean applies(Map<String, Object> entry, Map<String, Object> claims) {
        if (entry.containsKey("sid") && !entry.get("sid").equals(claims.get("sid"))) return false;
        boolean isOther = entry.containsKey("idp") && !entry.get("idp").equals(claims.get("idp"));
        if (isOther || entry.containsKey("idp") && number(claims, "iat") >= number(entry, "revokedAt")) return false;
        return !entry.containsKey("gen") || number(claims, "gen") < number(entry, "gen");
    }

    /** Fetches what has ended since the last time, and returns in how many seconds to come back. */
    public long refresh() throws IOException, GeneralSecurityException, Refused {
        String question;
        synchronized (this) {
            question = cursor == null ? "{}" : "{\"cursor\":\"" + cursor + "\"}"; // Letters and digits.
        }
        Map<String, Object> page = json(post("revocations", question));
        take(Json.object(page.get("jwks")));
        note(Token.parse((String) page.get("revocations")), (String) page.get("cursor"));
        long pause = number(page, "nextSeconds");
        synchronized (this) {
            if (pause > 0) listFrom = now();
        }
        return pause;
    }

    private synchronized void note(Token list, String next) throws Refused {
        Map<String, Object> claims = verified(list, "revocations+jwt");
        for (Object key : Json.list(claims.get("revokedKeys"))) revokedKeys.add((String) key);
        for (Object element : Json.list(claims.get("revocations"))) {
            Map<String, Object> entry = Json.object(element);
            List<Map<String, Object>> entries =
                revocations.computeIfAbsent((String) entry.get("sub"), user -> new ArrayList<>());
            if (!entries.contains(entry)) entries.add(entry);
        }
        everyoneBefore = Math.max(everyoneBefore, number(claims, "everyoneBefore"));
        cursor = next;
        // Tokens of before have ended by themselves.
        long oldest = number(claims, "iat") - tokenSeconds - 60;
        for (var entries : revocations.values()) entries.removeIf(entry -> number(entry, "revokedAt") < oldest);
        revocations.values().removeIf(List::isEmpty);
    }

    private void take(Map<String, Object> jwks) throws GeneralSecurityException {
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        ECParameterSpec parameters = curve.getParameterSpec(ECParameterSpec.class);
        Map<String, PublicKey> fresh = new HashMap<>();
        for (Object element : Json.list(jwks.get("keys"))) {
            Map<String, Object> key = Json.object(element);
            ECPoint point = new ECPoint(coordinate(key, "x"), coordinate(key, "y"));
            fresh.put((String) key.get("kid"),
                KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, parameters)));
        }
        synchronized (this) {
            keys = fresh;
            keysFrom = now();
        }
    }

    private static BigInteger coordinate(Map<String, Object> key, String name) {
        return new BigInteger(1, Base64.getUrlDecoder().decode((String) key.get(name)));
    }

    private Map<String, Object> verified(Token token, String kind) throws Refused {
        if (!Objects.equals(token.header().get("alg"), "ES256") || !Objects.equals(token.header().get("typ"), kind)) {
            throw new Refused("another kind of token");
        }
        PublicKey key = keys.get(token.kid());
        if (key == null || revokedKeys.contains(token.kid())) throw new Refused("unknown key");
        try {
            Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
            verifier.initVerify(key);
            verifier.update(token.signed());
            if (!verifier.verify(token.signature())) throw new Refused("forged");
        } catch (GeneralSecurityException error) {
            throw new Refused("forged");
        }
        if (!Objects.equals(token.claims().get("aud"), app)) throw new Refused("for another app");
        if (number(token.claims(), "iat") >= seconds() + LEEWAY_SECONDS) throw new Refused("of the future");
        Map<String, Object> claims = new HashMap<>(token.claims());
        claims.put("kid", token.kid());
        return claims;
    }

    private record Token(
        String text, Map<String, Object> header, Map<String, Object> claims, byte[] signed, byte[] signature
    ) {
        static Token parse(String text) throws Refused {
            String[] parts = text.split("\\.", -1);
            if (parts.length != 3 || text.length() > 1_000_000) throw new Refused("no token");
            try {
                return new Token(text,
                    Json.object(Json.parse(decoded(parts[0]))), Json.object(Json.parse(decoded(parts[1]))),
                    (parts[0] + "." + parts[1]).getBytes(StandardCharsets.UTF_8),
                    Base64.getUrlDecoder().decode(parts[2]));
            } catch (RuntimeException error) {
                throw new Refused("no token");
            }
        }

        private static String decoded(String part) {
            return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
        }

        String kid() {
            return String.valueOf(header.get("kid"));
        }
    }

    /** 0 where there is none. */
    private static long number(Map<String, Object> object, String name) {
        return object.get(name) instanceof Number number ? number.longValue() : 0;
    }

    private URI uri(String path) {
        return URI.create(server + path);
    }

    private HttpRequest.Builder post(String path, String body) {
        return HttpRequest.newBuilder(uri("/v1/server/apps/" + app + "/" + path))
            .header("X-Secret-Key", secret).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private Map<String, Object> json(HttpRequest.Builder request) throws IOException {
        HttpResponse<String> answer = send(request, Duration.ofSeconds(10));
        int status = answer.statusCode();
        if (status == 401 || status == 403) throw new IOException("the server answers " + status + ": " + WRONG_KEY);
        if (status != 200) throw new IOException("the server answers " + status);
        return Json.object(Json.parse(answer.body()));
    }

    private HttpResponse<String> send(HttpRequest.Builder request, Duration timeout) throws IOException {
        try {
            return http.send(request.timeout(timeout).build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException(error);
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000_000;
    }

    private static long seconds() {
        return System.currentTimeMillis() / 1_000;
    }

    /** JSON (RFC 8259) as maps, lists, strings, numbers, booleans and null. */
    private static final class Json {
        private final String text;
        private int index = 0;
        private int depth = 0;

        private Json(String text) {
            this.text = text;
        }

        static Object parse(String text) {
            Json json = new Json(text);
            Object value = json.value();
            if (json.skip() != 0) throw new IllegalArgumentException("not JSON");
            return value;
        }

        @SuppressWarnings("unchecked")
        static Map<String, Object> object(Object value) {
            if (value instanceof Map) return (Map<String, Object>) value;
            throw new IllegalArgumentException("not an object");
        }

        static List<?> list(Object value) {
            if (value instanceof List<?> list) return list;
            throw new IllegalArgumentException("not a list");
        }

        /** The next character that is no space, or 0 at the end. */
        private char skip() {
            while (index < text.length() && " \t\r\n".indexOf(text.charAt(index)) >= 0) index++;
            return index < text.length() ? text.charAt(index) : 0;
        }

        private boolean takes(char character) {
            if (skip() != character) return false;
            index++;
            return true;
        }

        private void must(boolean holds) {
            if (!holds) throw new IllegalArgumentException("not JSON");
        }

        private Object value() {
            must(++depth < 64);
            Object value;
            char first = skip();
            if (takes('{')) {
                Map<String, Object> members = new HashMap<>();
                if (!takes('}')) {
                    do {
                        String name = string();
                        must(takes(':'));
                        must(!members.containsKey(name));
                        members.put(name, value());
                    } while (takes(','));
                    must(takes('}'));
                }
                value = members;
            } else if (takes('[')) {
                List<Object> elements = new ArrayList<>();
                if (!takes(']')) {
                    do elements.add(value()); while (takes(','));
                    must(takes(']'));
                }
                value = elements;
            } else if (first == '"') {
                value = string();
            } else {
                int start = index;
                while (index < text.length() && "+-.0123456789Eaeflnrstu".indexOf(text.charAt(index)) >= 0) index++;
                value = word(text.substring(start, index));
            }
            depth--;
            return value;
        }

        private static Object word(String word) {
            return switch (word) {
                case "true" -> true;
                case "false" -> false;
                case "null" -> null;
                default -> word.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
            };
        }

        private String string() {
            must(takes('"'));
            StringBuilder string = new StringBuilder();
            while (true) {
                must(index < text.length());
                char character = text.charAt(index++);
                if (character == '"') return string.toString();
                if (character != '\\') {
                    string.append(character);
                    continue;
                }
                must(index < text.length());
                char escaped = text.charAt(index++);
                int plain = "\"\\/bfnrt".indexOf(escaped);
                if (plain >= 0) {
                    string.append("\"\\/\b\f\n\r\t".charAt(plain));
                } else {
                    must(escaped == 'u' && index + 4 <= text.length());
                    string.append((char) Integer.parseInt(text.substring(index, index += 4), 16));
                }
            }
        }
    }

    /** Reads a line for each access token, or "refresh", and answers with a line each. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = System.getenv();
        Gatehouse gatehouse = new Gatehouse(
            settings.get("GATEHOUSE_SERVER"), settings.get("GATEHOUSE_APP"), settings.get("GATEHOUSE_SECRET"), 3_600);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println(
                    line.equals("refresh") ? "next " + gatehouse.refresh()
                        : "user " + gatehouse.check(line).get("sub"));
            } catch (IOException | GeneralSecurityException | Refused | RuntimeException error) {
                System.out.println("refused " + error.getMessage());
            }
        }
    }
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The codes with which a WebSocket is closed: the game gets a fresh token for the first, and asks the SDK why for the second.
const (
	expired  = 4401
	revoked  = 4403
	tryLater = 1013
)

const (
	longestPause    = 30 * time.Second
	breakerFailures = 3
	breakerPause    = 5 * time.Second
)

// Middleware lets requests and connections of players in, and ends connections whose player is banned, kicked out or gone.
//
// Failure policy: while Gatehouse can't be reached, players are accepted by the last list of revocations until that list is
// MaxListAge old. Then requests get 503 and connections are closed with 1013. A shorter time means that a ban is never missed for
// longer than that; a longer one means that players go on playing through a longer outage. An hour is the most that has a
// meaning, because no access token lives longer.
//
// Requests that ask Gatehouse get 503 after AskTime (2 seconds for 0), at most MostAsks of them wait at a time (8 for 0), and after three
// failures in a row only one every five seconds tries again (a circuit breaker). So a Gatehouse that hangs holds up little.
type Middleware struct {
	Gatehouse  *Gatehouse
	MaxListAge time.Duration
	AskTime    time.Duration
	MostAsks   int

	mutex       sync.Mutex
	connections map[*Connection]bool
	asking      int
	failures    int
	retryFrom   time.Time
}

// Connection is one that outlives its first token.
type Connection struct {
	middleware *Middleware
	player     *Claims
	close      func(code int, reason string)
}

type playerKey struct{}

// Player returns the claims of the request's player.
func Player(request *http.Request) *Claims {
	return request.Context().Value(playerKey{}).(*Claims)
}

// Run keeps the list of revocations fresh, and never returns. Start it in a goroutine of its own, once in each process.
func (m *Middleware) Run() {
	go func() {
		for range time.Tick(time.Second) {
			m.sweep()
		}
	}()
	said := ""
	for failures := 0; ; {
		pause, err := m.Gatehouse.Refresh()
		if err == nil {
			failures, said = 0, ""
		} else {
			if said != err.Error() {
				said = err.Error()
				log.Print("Gatehouse can't be asked for revocations: ", said)
			}
			if pause = time.Second << failures; pause < longestPause {
				failures++
			} else {
				pause = longestPause
			}
		}
		m.sweep()
		time.Sleep(pause)
	}
}

// RequirePlayer lets players in, and answers others with 401. Where ask is true, Gatehouse itself is asked, for what can't be
// undone: a purchase, a trade, a deletion.
func (m *Middleware) RequirePlayer(next http.Handler, ask bool) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		player, err := m.player(bearer(request), ask)
		if err != nil {
			refuse(response, err)
			return
		}
		next.ServeHTTP(response, request.WithContext(context.WithValue(request.Context(), playerKey{}, player)))
	})
}

// Connect watches a connection that outlives the request. It calls close once, in another goroutine, when the player must go.
// Call Renew with each fresh token that the game sends, and End when the connection has gone.
func (m *Middleware) Connect(player *Claims, close func(code int, reason string)) *Connection {
	connection := &Connection{middleware: m, player: player, close: close}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.connections == nil {
		m.connections = map[*Connection]bool{}
	}
	m.connections[connection] = true
	return connection
}

// Renew takes a fresh token of the same player.
func (c *Connection) Renew(token string) error {
	player, err := c.middleware.player(token, false)
	if err != nil {
		return err
	}
	c.middleware.mutex.Lock()
	defer c.middleware.mutex.Unlock()
	if player.Subject != c.player.Subject {
		return errors.New("of another player")
	}
	c.player = player
	return nil
}

// End forgets a connection that has gone.
func (c *Connection) End() {
	c.middleware.mutex.Lock()
	defer c.middleware.mutex.Unlock()
	delete(c.middleware.connections, c)
}

func (m *Middleware) player(token string, ask bool) (*Claims, error) {
	if token == "" {
		return nil, errors.New("no token")
	}
	if m.Gatehouse.ListAge() > m.MaxListAge {
		return nil, ErrUnavailable
	}
	claims, err := m.Gatehouse.Check(token)
	if err == nil && ask {
		err = m.ask(token)
	}
	return claims, err
}

func (m *Middleware) ask(token string) error {
	if err := m.beginAsking(); err != nil {
		return err
	}
	timeout := m.AskTime
	if timeout == 0 {
		timeout = 2 * time.Second
	}
	err := m.Gatehouse.Ask(token, timeout)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.asking--
	if errors.Is(err, ErrUnavailable) {
		m.failures++
		m.retryFrom = time.Now().Add(breakerPause)
	} else {
		m.failures = 0
	}
	return err
}

func (m *Middleware) beginAsking() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	most := m.MostAsks
	if most == 0 {
		most = 8
	}
	if m.asking >= most {
		return fmt.Errorf("%w: too many requests wait for it", ErrUnavailable)
	}
	if m.failures >= breakerFailures {
		if time.Now().Before(m.retryFrom) {
			return fmt.Errorf("%w: Gatehouse has not answered lately", ErrUnavailable)
		}
		m.retryFrom = time.Now().Add(breakerPause)
	}
	m.asking++
	return nil
}

func (m *Middleware) sweep() {
	isOld := m.Gatehouse.ListAge() > m.MaxListAge
	now := time.Now().Unix()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for connection := range m.connections {
		switch {
		case m.Gatehouse.IsRevoked(connection.player):
			go connection.close(revoked, "revoked")
		case connection.player.ExpiresAt <= now-leeway:
			go connection.close(expired, "expired")
		case isOld:
			go connection.close(tryLater, "Gatehouse is out of reach")
		default:
			continue
		}
		delete(m.connections, connection)
	}
}

// bearer returns the token of `Authorization: Bearer TOKEN`. It never stands in a URL, because URLs are logged.
func bearer(request *http.Request) string {
	kind, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	if kind != "Bearer" {
		return ""
	}
	return token
}

func refuse(response http.ResponseWriter, err error) {
	status := http.StatusUnauthorized
	if errors.Is(err, ErrUnavailable) {
		status = http.StatusServiceUnavailable
		response.Header().Set("Retry-After", "5")
	} else {
		response.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	_ = json.NewEncoder(response).Encode(map[string]string{"error": err.Error()})
}

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"
)

const (
	fetchInterval = time.Minute // Tokens with made-up keys cost one fetch in that time.
	staleAfter    = time.Hour
	leeway        = 30 // seconds
	wrongKey      = "is the secret key this app's, with the scope check?"
)

// ErrUnavailable says that the token may be good, but Gatehouse can't be asked: answer 503 and not 401, or the game logs its
// player out.
var ErrUnavailable = errors.New("Gatehouse is out of reach")

// Claims of an access token: Subject is the user id.
type Claims struct {
	Audience   string `json:"aud"`
	Subject    string `json:"sub"`
	Session    string `json:"sid"`
	Provider   string `json:"idp"`
	Generation int64  `json:"gen"`
	IssuedAt   int64  `json:"iat"`
	ExpiresAt  int64  `json:"exp"`
	key        string
}

// Gatehouse checks access tokens without a call for each player. Call Refresh again after as long as it returns.
//
// While Gatehouse can't be reached, keys and revocations of before count for another hour. By then every good token has
// ended, and all are refused.
type Gatehouse struct {
	Server, App, Secret string
	TokenLifetime       time.Duration // An hour, unless the server says otherwise.

	mutex           sync.Mutex
	keys            map[string]*ecdsa.PublicKey
	keysFrom, tried time.Time
	listFrom        time.Time
	revokedKeys     map[string]bool
	revocations     map[string][]revocation
	everyoneBefore  int64
	cursor          string
}

type revocation struct {
	Subject    string  `json:"sub"`
	Session    *string `json:"sid"`
	Provider   *string `json:"idp"`
	Generation *int64  `json:"gen"`
	RevokedAt  int64   `json:"revokedAt"`
}

type keySet struct {
	Keys []struct{ Kid, X, Y string }
}

type signedRevocations struct {
	Revocations, Cursor string
	NextSeconds         int
	Keys                keySet `json:"jwks"`
}

type revocationList struct {
	Audience       string `json:"aud"`
	IssuedAt       int64  `json:"iat"`
	EveryoneBefore int64
	RevokedKeys    []string
	Revocations    []revocation
}

var client = http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirected") },
}

// Check returns the claims of a good token, and an error for any other.
func (g *Gatehouse) Check(token string) (*Claims, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	parts, err := parse(token)
	if err != nil {
		return nil, err
	}
	// Refresh brings all other keys.
	if g.keys[parts.header.Kid] == nil && time.Since(g.tried) > fetchInterval {
		g.tried = time.Now()
		g.fetchKeys() // Where that fails, the keys of before have to do.
	}
	if time.Since(g.keysFrom) > staleAfter {
		return nil, fmt.Errorf("stale keys: %w", ErrUnavailable)
	}
	var claims Claims
	if err := g.verify(parts, "at+jwt", &claims); err != nil {
		return nil, err
	}
	now := time.Now().Unix()
	switch {
	case claims.Audience != g.App:
		return nil, errors.New("for another app")
	case claims.ExpiresAt <= now-leeway:
		return nil, errors.New("expired")
	case claims.IssuedAt >= now+leeway:
		return nil, errors.New("of the future")
	case claims.Subject == "" || claims.Session == "":
		return nil, errors.New("a claim is missing")
	}
	claims.key = parts.header.Kid
	if g.isRevoked(&claims) {
		return nil, errors.New("revoked")
	}
	return &claims, nil
}

// IsRevoked tells whether a good token has ended before its time, by the last list. For connections that outlive a request.
func (g *Gatehouse) IsRevoked(claims *Claims) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.isRevoked(claims)
}

func (g *Gatehouse) isRevoked(claims *Claims) bool {
	if claims.IssuedAt < g.everyoneBefore || g.revokedKeys[claims.key] {
		return true
	}
	for _, entry := range g.revocations[claims.Subject] {
		if entry.applies(claims) {
			return true
		}
	}
	return false
}

// ListAge is the time since the last complete list of revocations; centuries before the first.
func (g *Gatehouse) ListAge() time.Duration {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return time.Since(g.listFrom)
}

// Ask asks Gatehouse itself whether a token is good, for what can't be undone.
func (g *Gatehouse) Ask(token string, timeout time.Duration) error {
	request, err := g.post("tokens/check", map[string]string{"accessToken": token})
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	response, err := client.Do(request.WithContext(limited))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnavailable, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	var refusal struct {
		Error struct {
			Code    int
			Details struct{ Reason string }
		}
	}
	if json.NewDecoder(response.Body).Decode(&refusal) == nil && refusal.Error.Code == 3011 {
		return errors.New(refusal.Error.Details.Reason)
	}
	return fmt.Errorf("%w: tokens/check answers %d", ErrUnavailable, response.StatusCode)
}

// applies tells whether all that the entry gives is true of the token.
func (r revocation) applies(claims *Claims) bool {
	if r.Session != nil && *r.Session != claims.Session {
		return false
	}
	if r.Provider != nil && (*r.Provider != claims.Provider || claims.IssuedAt >= r.RevokedAt) {
		return false
	}
	return r.Generation == nil || claims.Generation < *r.Generation
}

// Refresh fetches what has ended since the last time, and returns when to come back.
func (g *Gatehouse) Refresh() (time.Duration, error) {
	page, err := g.nextPage()
	if err != nil {
		return 0, err
	}
	parts, err := parse(page.Revocations)
	if err != nil {
		return 0, err
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if err := g.take(page.Keys); err != nil {
		return 0, err
	}
	var list revocationList
	if err := g.verify(parts, "revocations+jwt", &list); err != nil {
		return 0, err
	}
	if list.Audience != g.App {
		return 0, errors.New("for another app")
	}
	g.note(list)
	g.cursor = page.Cursor
	if page.NextSeconds > 0 {
		g.listFrom = time.Now()
	}
	return time.Duration(page.NextSeconds) * time.Second, nil
}

func (g *Gatehouse) nextPage() (*signedRevocations, error) {
	g.mutex.Lock()
	question := map[string]string{}
	if g.cursor != "" {
		question["cursor"] = g.cursor
	}
	g.mutex.Unlock()
	request, err := g.post("revocations", question)
	if err != nil {
		return nil, err
	}
	var page signedRevocations
	return &page, fetch(request, &page)
}

func (g *Gatehouse) post(path string, body map[string]string) (*http.Request, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest("POST", g.Server+"/v1/server/apps/"+g.App+"/"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Secret-Key", g.Secret)
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// note takes up what has ended, and forgets tokens that have ended by themselves.
func (g *Gatehouse) note(list revocationList) {
	if g.revocations == nil {
		g.revocations, g.revokedKeys = map[string][]revocation{}, map[string]bool{}
	}
	for _, key := range list.RevokedKeys {
		g.revokedKeys[key] = true
	}
	if list.EveryoneBefore > g.everyoneBefore {
		g.everyoneBefore = list.EveryoneBefore
	}
	lifetime := g.TokenLifetime
	if lifetime == 0 {
		lifetime = time.Hour
	}
	oldest := list.IssuedAt - int64(lifetime.Seconds()) - 60
	for user, entries := range g.revocations {
		kept := entries[:0]
		for _, entry := range entries {
			if entry.RevokedAt >= oldest {
				kept = append(kept, entry)
			}
		}
		if g.revocations[user] = kept; len(kept) == 0 {
			delete(g.revocations, user)
		}
	}
	for _, entry := range list.Revocations {
		known := false
		for _, other := range g.revocations[entry.Subject] {
			known = known || reflect.DeepEqual(entry, other)
		}
		if !known {
			g.revocations[entry.Subject] = append(g.revocations[entry.Subject], entry)
		}
	}
}

// fetchKeys lets go of the mutex while it waits.
func (g *Gatehouse) fetchKeys() {
	g.mutex.Unlock()
	var keys keySet
	request, err := http.NewRequest("GET", g.Server+"/v1/apps/"+g.App+"/jwks.json", nil)
	if err == nil {
		err = fetch(request, &keys)
	}
	g.mutex.Lock()
	if err == nil {
		_ = g.take(keys)
	}
}

// take replaces the keys, unless one can't be read.
func (g *Gatehouse) take(set keySet) error {
	keys := map[string]*ecdsa.PublicKey{}
	for _, key := range set.Keys {
		x, errX := base64.RawURLEncoding.DecodeString(key.X)
		y, errY := base64.RawURLEncoding.DecodeString(key.Y)
		public := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
		if errX != nil || errY != nil || !public.Curve.IsOnCurve(public.X, public.Y) {
			return errors.New("a key can't be read")
		}
		keys[key.Kid] = public
	}
	g.keys, g.keysFrom = keys, time.Now()
	return nil
}

type token struct {
	header struct{ Alg, Typ, Kid string }
	claims []byte
	digest [32]byte
	r, s   *big.Int
}

func parse(text string) (*token, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil, errors.New("no token")
	}
	var bytes [3][]byte
	for index, part := range parts {
		var err error
		if bytes[index], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return nil, errors.New("no token")
		}
	}
	parsed := &token{claims: bytes[1], digest: sha256.Sum256([]byte(parts[0] + "." + parts[1]))}
	if json.Unmarshal(bytes[0], &parsed.header) != nil || len(bytes[2]) != 64 {
		return nil, errors.New("no token")
	}
	parsed.r, parsed.s = new(big.Int).SetBytes(bytes[2][:32]), new(big.Int).SetBytes(bytes[2][32:])
	return parsed, nil
}

func (g *Gatehouse) verify(token *token, kind string, claims interface{}) error {
	if token.header.Alg != "ES256" || token.header.Typ != kind {
		return errors.New("another kind of token")
	}
	key := g.keys[token.header.Kid]
	if key == nil || g.revokedKeys[token.header.Kid] {
		return errors.New("unknown key")
	}
	if !ecdsa.Verify(key, token.digest[:], token.r, token.s) {
		return errors.New("forged")
	}
	return json.Unmarshal(token.claims, claims)
}

func fetch(request *http.Request, answer interface{}) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
		return fmt.Errorf("%s answers %d: %s", request.URL.Path, response.StatusCode, wrongKey)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", request.URL.Path, response.StatusCode)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

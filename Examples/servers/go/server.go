package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// serve is a game's server: who am I, a purchase that asks Gatehouse, and a WebSocket that lives longer than a token.
func serve(gatehouse *Gatehouse) {
	players := &Middleware{Gatehouse: gatehouse, MaxListAge: time.Hour}
	if seconds, err := strconv.Atoi(os.Getenv("MAX_LIST_SECONDS")); err == nil {
		players.MaxListAge = time.Duration(seconds) * time.Second
	}
	if seconds, err := strconv.Atoi(os.Getenv("ASK_SECONDS")); err == nil {
		players.AskTime = time.Duration(seconds) * time.Second
	}
	go players.Run()

	me := http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(response).Encode(map[string]string{"user": Player(request).Subject})
	})
	play := http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		socket, err := acceptWebSocket(response, request)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		defer socket.connection.Close()
		connection := players.Connect(Player(request), socket.close)
		defer connection.End()
		_ = socket.send("hello " + Player(request).Subject)
		for {
			text, err := socket.receive()
			if err != nil {
				return
			}
			reply := "echo " + text
			if strings.HasPrefix(text, "token ") {
				reply = "renewed"
				if err := connection.Renew(strings.TrimPrefix(text, "token ")); err != nil {
					reply = "refused " + err.Error()
				}
			}
			_ = socket.send(reply)
		}
	})
	routes := http.NewServeMux()
	routes.Handle("/me", players.RequirePlayer(me, false))
	routes.Handle("/purchase", players.RequirePlayer(me, true))
	routes.Handle("/play", players.RequirePlayer(play, false))

	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal((&http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second}).Serve(listener))
}

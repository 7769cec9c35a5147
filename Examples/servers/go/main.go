package main

import (
	"bufio"
	"fmt"
	"os"
)

// Reads a line for each access token, or `refresh`, and answers with a line each.
func main() {
	gatehouse := &Gatehouse{
		Server: os.Getenv("GATEHOUSE_SERVER"), App: os.Getenv("GATEHOUSE_APP"), Secret: os.Getenv("GATEHOUSE_SECRET"),
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		serve(gatehouse)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "refresh" {
			if pause, err := gatehouse.Refresh(); err != nil {
				fmt.Println("refused", err)
			} else {
				fmt.Println("next", int(pause.Seconds()))
			}
		} else if claims, err := gatehouse.Check(lines.Text()); err != nil {
			fmt.Println("refused", err)
		} else {
			fmt.Println("user", claims.Subject)
		}
	}
}

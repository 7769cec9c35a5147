module example.com/gameserver

go 1.19

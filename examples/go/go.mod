module digits

go 1.20

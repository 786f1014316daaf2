module chapter

go 1.22

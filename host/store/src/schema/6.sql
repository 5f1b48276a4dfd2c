-- The HMAC over all rows under a key of the user who wrote them; one row.
CREATE TABLE seal (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  mac  BLOB NOT NULL
) STRICT;

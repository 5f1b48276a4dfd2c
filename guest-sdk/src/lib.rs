//! For authors of guests.

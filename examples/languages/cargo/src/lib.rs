wit_bindgen::generate!({ path: "../wit", world: "prototype" });

struct Prototype;

impl Guest for Prototype {
    fn total(values: Vec<u64>) -> u64 {
        values.iter().sum()
    }
}

export!(Prototype);

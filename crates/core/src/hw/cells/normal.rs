//! The inverse of the normal distribution: Wichura's AS 241, whose error is below 1e-15 of the value.

/// A numerator and a denominator, highest power first.
type Ratio = [[f64; 8]; 2];

/// Of the middle 85 %.
const CENTRAL: Ratio = [
    [
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ],
    [
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ],
];

/// Of what is further out, down to some 1e-11.
const TAIL: Ratio = [
    [
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ],
    [
        1.0507500716444169e-9,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ],
];

/// Beyond that.
const FAR: Ratio = [
    [
        2.0103343992922881e-7,
        2.7115555687434876e-5,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ],
    [
        2.0442631033899397e-15,
        1.421511758316446e-7,
        1.8463183175100548e-5,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
        1.0,
    ],
];

fn ratio(by: &Ratio, r: f64) -> f64 {
    let [numerator, denominator] = by.map(|factors| factors.iter().fold(0.0, |sum, factor| sum * r + factor));
    numerator / denominator
}

/// The value below which a standard normal variable lies with probability `p`, which is between 0 and 1.
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&CENTRAL, 0.180_625 - q * q);
    }
    let r = libm::sqrt(-libm::log(if q < 0.0 { p } else { 1.0 - p }));
    let x = if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR, r - 5.0) };
    if q < 0.0 {
        -x
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    /// As Python's `statistics.NormalDist().inv_cdf` has them.
    const KNOWN: [(f64, f64); 15] = [
        (1e-300, -37.0470962993612),
        (1e-20, -9.262340089798405),
        (1e-09, -5.9978070150076865),
        (0.001, -3.090232306167813),
        (0.02425, -1.9729610513118845),
        (0.1, -1.2815515655446008),
        (0.25, -0.6744897501960817),
        (0.4, -0.2533471031357998),
        (0.5, 0.0),
        (0.55, 0.12566134685507413),
        (0.8408964152537145, 0.9981488825015568),
        (0.9, 1.2815515655446008),
        (0.9576032806985737, 1.723526049527708),
        (0.999, 3.090232306167813),
        (0.999999999999, 7.0344869100478356),
    ];

    #[test]
    fn quantiles_are_those_of_another_program() {
        for (p, z) in KNOWN {
            assert!(
                (quantile(p) - z).abs() < 1e-12 * z.abs().max(1.0),
                "{p}: {} instead of {z}",
                quantile(p)
            );
        }
    }
}

//! What random streams are made of.

use ash::vk;

const TOPOLOGIES: [vk::PrimitiveTopology; 6] = [
    vk::PrimitiveTopology::POINT_LIST,
    vk::PrimitiveTopology::LINE_LIST,
    vk::PrimitiveTopology::LINE_STRIP,
    vk::PrimitiveTopology::TRIANGLE_LIST,
    vk::PrimitiveTopology::TRIANGLE_STRIP,
    vk::PrimitiveTopology::TRIANGLE_FAN,
];

/// What is recorded.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) topology: vk::PrimitiveTopology,
    pub(super) restart: bool,
    pub(super) wide: bool,
    /// Bytes that are bound of each feedback buffer.
    pub(super) sizes: [u64; 2],
    pub(super) pieces: Vec<Piece>,
    pub(super) indices: Vec<u32>,
    pub(super) submissions: u32,
}

/// A capture of a draw.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) count: u32,
    pub(super) first: u32,
    pub(super) instances: u32,
    pub(super) first_instance: u32,
    pub(super) offset: i32,
    pub(super) resumes: bool,
    pub(super) saves: bool,
    /// Whether a secondary command buffer draws it, and whether a pass of its own has it.
    pub(super) secondary: bool,
    pub(super) own_pass: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Direct,
    Indexed,
    Indirect,
    Bytes,
}

/// A source of numbers.
pub(super) struct Noise(pub(super) u64);

impl Noise {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(end)) as u32
    }
}

impl Stream {
    pub(super) fn random(noise: &mut Noise) -> Self {
        let topology = TOPOLOGIES[noise.below(6) as usize];
        let is_strip = ![
            vk::PrimitiveTopology::POINT_LIST,
            vk::PrimitiveTopology::LINE_LIST,
            vk::PrimitiveTopology::TRIANGLE_LIST,
        ]
        .contains(&topology);
        let restart = is_strip && noise.below(2) == 0;
        let wide = noise.below(2) == 0;
        let index = |noise: &mut Noise| match restart && noise.below(4) == 0 {
            true => u32::MAX,
            false => noise.below(30),
        };
        let indices = (0..64).map(|_| index(noise)).collect();
        let indirect = noise.below(2) == 0;
        let pieces = (0..1 + noise.below(5)).map(|_| Piece::random(noise, indirect)).collect();
        let sizes = [12 * u64::from(noise.below(60)) + 4, 8 * u64::from(noise.below(60)) + 8];
        let submissions = 1 + noise.below(2);
        Self { topology, restart, wide, sizes, pieces, indices, submissions }
    }
}

impl Piece {
    fn random(noise: &mut Noise, indirect: bool) -> Self {
        let kind = match noise.below(3) {
            0 => Kind::Direct,
            1 => Kind::Indexed,
            _ if indirect => Kind::Indirect,
            _ => Kind::Bytes,
        };
        Self {
            kind,
            count: noise.below(20),
            first: noise.below(8),
            instances: noise.below(4),
            first_instance: if kind == Kind::Indirect { 0 } else { noise.below(3) },
            offset: noise.below(3) as i32,
            resumes: noise.below(2) == 0,
            saves: noise.below(3) > 0,
            secondary: noise.below(4) == 0,
            own_pass: noise.below(3) == 0,
        }
    }
}

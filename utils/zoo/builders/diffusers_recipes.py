# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of diffusers: (model, names of inputs, maker of inputs, open dims,
constant arguments)."""

import torch

PLAIN = {"return_dict": False}


def latent(number, channels=4, size=16):
    return torch.randn(1 + number, channels, size + 8 * number, size)


def unet_condition(diffusers):
    model = diffusers.UNet2DConditionModel(
        sample_size=16, block_out_channels=(16, 32), layers_per_block=1, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=24, attention_head_dim=4, norm_num_groups=4)
    make = lambda number: [latent(number), torch.tensor(7.0 + number), torch.randn(1 + number, 6 + number, 24)]
    return model, ["sample", "timestep", "encoder_hidden_states"], make, [[0, 2, 3], [], [0, 1]], PLAIN


def unet(diffusers):
    model = diffusers.UNet2DModel(
        sample_size=16, in_channels=3, out_channels=3, block_out_channels=(16, 32), layers_per_block=1, norm_num_groups=4,
        attention_head_dim=8, down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))
    return model, ["sample", "timestep"], lambda number: [latent(number, 3), torch.tensor(9 + number)], [[0, 2, 3], []], PLAIN


def unet_1d(diffusers):
    model = diffusers.UNet1DModel(
        sample_size=32, in_channels=6, out_channels=6, block_out_channels=(16, 32), layers_per_block=1, norm_num_groups=4,
        time_embedding_type="positional", use_timestep_embedding=True, act_fn="mish", out_block_type="OutConv1DBlock",
        down_block_types=("DownResnetBlock1D", "DownResnetBlock1D"), up_block_types=("UpResnetBlock1D",),
        mid_block_type="MidResTemporalBlock1D", flip_sin_to_cos=False, freq_shift=1, downsample_each_block=False)
    return model, ["sample", "timestep"], lambda number: [torch.randn(1 + number, 6, 32 + 16 * number), torch.tensor(9 + number)], [[0, 2], []], PLAIN


def vae_decoder(diffusers):
    model = diffusers.AutoencoderKL(block_out_channels=(16, 32), down_block_types=("DownEncoderBlock2D",) * 2,
                                    up_block_types=("UpDecoderBlock2D",) * 2, norm_num_groups=4)
    model.forward = model.decode
    return model, ["z"], lambda number: [latent(number)], [[0, 2, 3]], PLAIN


def vae_encoder(diffusers):
    model = diffusers.AutoencoderKL(block_out_channels=(16, 32), down_block_types=("DownEncoderBlock2D",) * 2,
                                    up_block_types=("UpDecoderBlock2D",) * 2, norm_num_groups=4)
    model.forward = lambda sample: model.encode(sample).latent_dist.parameters
    return model, ["sample"], lambda number: [latent(number, 3, 32)], [[0, 2, 3]], {}


def vae_tiny(diffusers):
    model = diffusers.AutoencoderTiny(encoder_block_out_channels=(16, 16), decoder_block_out_channels=(16, 16),
                                      num_encoder_blocks=(1, 2), num_decoder_blocks=(2, 1))
    return model, ["sample"], lambda number: [latent(number, 3, 32)], [[0, 2, 3]], PLAIN


def vq(diffusers):
    model = diffusers.VQModel(block_out_channels=(16, 32), down_block_types=("DownEncoderBlock2D",) * 2,
                              up_block_types=("UpDecoderBlock2D",) * 2, norm_num_groups=4, num_vq_embeddings=32)
    return model, ["sample"], lambda number: [latent(number, 3, 16)], [[0, 2, 3]], PLAIN


def dit(diffusers):
    model = diffusers.DiTTransformer2DModel(num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=8, num_layers=2,
                                            sample_size=8, num_embeds_ada_norm=20, norm_num_groups=4)
    make = lambda number: [torch.randn(1 + number, 4, 8, 8), torch.tensor([3] * (1 + number)), torch.tensor([5] * (1 + number))]
    return model, ["hidden_states", "timestep", "class_labels"], make, [[0], [0], [0]], PLAIN


def sd3(diffusers):
    model = diffusers.SD3Transformer2DModel(sample_size=16, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=2,
                                            joint_attention_dim=24, caption_projection_dim=16, pooled_projection_dim=20, out_channels=4)
    make = lambda number: [torch.randn(1 + number, 4, 16, 16), torch.randn(1 + number, 6 + number, 24), torch.randn(1 + number, 20),
                           torch.full((1 + number,), 7.0)]
    return model, ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep"], make, [[0], [0, 1], [0], [0]], PLAIN


def flux(diffusers):
    model = diffusers.FluxTransformer2DModel(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
                                             num_attention_heads=2, joint_attention_dim=24, pooled_projection_dim=20, axes_dims_rope=(4, 4, 8))
    def make(number):
        return [torch.randn(1 + number, 16, 4), torch.randn(1 + number, 6, 24), torch.randn(1 + number, 20), torch.full((1 + number,), 0.5),
                torch.rand(16, 3), torch.rand(6, 3)]
    return (model, ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep", "img_ids", "txt_ids"], make,
            [[0], [0], [0], [0], [], []], PLAIN)


def pixart(diffusers):
    model = diffusers.PixArtTransformer2DModel(num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=8, num_layers=2,
                                               sample_size=8, caption_channels=12, cross_attention_dim=16, norm_num_groups=4,
                                               use_additional_conditions=False)
    make = lambda number: [torch.randn(1 + number, 4, 8, 8), torch.randn(1 + number, 5, 12), torch.full((1 + number,), 3)]
    return model, ["hidden_states", "encoder_hidden_states", "timestep"], make, [[0], [0, 1], [0]], PLAIN | {
        "added_cond_kwargs": {"resolution": None, "aspect_ratio": None}}
